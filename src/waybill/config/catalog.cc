#include "waybill/config/catalog.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/redact.h"
#include "waybill/base/utf8.h"
#include "waybill/config/attributes.h"
#include "waybill/config/bind.h"
#include "waybill/config/context.h"
#include "waybill/domain/catalog_json.h"
#include "waybill/domain/job.h"
#include "waybill/domain/matching.h"

namespace waybill::config {
namespace {

// An entry that is being read, and where it stands.
template <class Entry>
struct Draft {
  const Section* section = nullptr;
  Entry entry;
  std::vector<ContextReference> references;
};
using CommandDraft = Draft<domain::Command>;
using ClusterDraft = Draft<domain::Cluster>;

std::string id_of(const Section& item) {
  const std::string id = item.text("id");
  return id.empty() ? item.text("name") : id;
}

class CatalogReader {
 public:
  CatalogReader(const Section& root, const Config& config, const LoadOptions& options,
                const Environment& environment, Report& report)
      : root_(root),
        config_(config),
        options_(options),
        report_(report),
        redactor_(config.secret_keys),
        contexts_(report, environment, redactor_, config.limits.context_depth) {}

  domain::Catalog read() {
    check_unique(root_.lists.at("commands"), id_of, "id", report_);
    check_unique(root_.lists.at("clusters"), id_of, "id", report_);
    for (const Section& item : root_.lists.at("commands")) commands_.push_back(command(item));
    for (const Section& item : root_.lists.at("clusters")) clusters_.push_back(cluster(item));
    for (CommandDraft& draft : commands_) read_context(draft);
    for (ClusterDraft& draft : clusters_) read_context(draft);
    warn_of_missing_keys();
    return finished();
  }

 private:
  CommandDraft command(const Section& item) {
    CommandDraft draft;
    domain::Command& out = draft.entry;
    out.id = CommandId(id_of(item));
    out.plugin = item.text("plugin");
    out.is_sync = item.flag("is_sync");
    out.store_result_sync = item.flag("store_result_sync");
    out.cluster_tags = tags(item, "cluster_tags");
    out.allowed_callers = item.texts("allowed_callers");
    out.locked_context = item.texts("locked_context");
    out.timeout = item.integer("timeout_seconds") * absl::Seconds(1);
    out.max_attempts = static_cast<int>(item.integer("max_attempts"));
    read_common(item, draft);
    if (!out.plugin.empty() && !options_.plugins.empty() && !options_.plugins.contains(out.plugin)) {
      std::vector<std::string> known;
      for (const auto& plugin : options_.plugins) known.push_back(plugin.first);
      report_.mistake(item.place("plugin"), item.path_of("plugin"),
                      quoted(out.plugin) + " is not a plugin: " + suggestion(out.plugin, known));
    }
    return draft;
  }

  ClusterDraft cluster(const Section& item) {
    ClusterDraft draft;
    domain::Cluster& out = draft.entry;
    out.id = ClusterId(id_of(item));
    out.health_check = item.flag("health_check");
    out.weight = item.number("weight");
    out.rbacs = item.texts("rbacs");
    read_common(item, draft);
    const YamlNode* list = item.at("rbacs").node;
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const std::string& name = list->items[i]->text;
      const bool known = std::any_of(config_.rbacs.begin(), config_.rbacs.end(),
                                     [&](const Rbac& rbac) { return rbac.name == name; });
      if (known || name.empty()) continue;
      std::vector<std::string> names;
      for (const Rbac& rbac : config_.rbacs) names.push_back(rbac.name);
      report_.mistake(*list->items[i], item_path(item.path_of("rbacs"), i),
                      quoted(name) + " is not one of rbacs: " + suggestion(name, names));
    }
    return draft;
  }

  template <class Entry>
  void read_common(const Section& item, Draft<Entry>& draft) {
    draft.section = &item;
    domain::Entry& out = draft.entry;
    if (id_of(item).empty()) {
      report_.mistake(*item.node, item.path_of("name"), "it is missing: an entry needs a name, or an id");
    }
    for (const char* name : {"id", "name", "version"}) check_length(item, name);
    out.name = item.text("name");
    out.version = item.text("version");
    out.description = item.text("description");
    out.user = item.text("user");
    out.status = domain::parse_entry_status(item.text("status")).value_or(domain::EntryStatus::kActive);
    out.tags = tags(item, "tags");
    CheckedAttributes attributes =
        read_attributes(item, config_.attribute_link_schemes, config_.limits.name_bytes, report_);
    out.attributes = std::move(attributes.templates);
    draft.references = std::move(attributes.references);
  }

  void check_length(const Section& item, const char* name) {
    const std::string text = item.text(name);
    if (!has_control_character(text) && text.size() <= config_.limits.name_bytes) return;
    report_.mistake(item.place(name), item.path_of(name),
                    quoted(text) + " is not allowed: it must have at most " +
                        std::to_string(config_.limits.name_bytes) + " bytes and no control characters");
  }

  std::vector<std::string> tags(const Section& item, const std::string& name) {
    std::vector<std::string> all = item.texts(name);
    const YamlNode* list = item.at(name).node;
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      if (list->items[i]->text.size() <= config_.limits.tag_bytes) continue;
      report_.mistake(*list->items[i], item_path(item.path_of(name), i),
                      quoted(list->items[i]->text) + " is too long: a tag has at most " +
                          std::to_string(config_.limits.tag_bytes) + " bytes (limits.tag_bytes)");
    }
    if (all.size() > config_.limits.tags) {
      report_.mistake(item.place(name), item.path_of(name),
                      "there are " + std::to_string(all.size()) + " tags: at most " +
                          std::to_string(config_.limits.tags) + " are allowed (limits.tags)");
    }
    return domain::sorted_unique(std::move(all));
  }

  // The executors whose jobs may read this entry's context.
  std::vector<const ports::ExecutorTraits*> readers(const domain::Command& command) const {
    const auto found = options_.plugins.find(command.plugin);
    if (found == options_.plugins.end()) return {};
    return {&found->second};
  }
  std::vector<const ports::ExecutorTraits*> readers(const domain::Cluster& cluster) const {
    std::map<std::string, const ports::ExecutorTraits*> all;
    for (const CommandDraft& draft : commands_) {
      if (!domain::may_meet(draft.entry, cluster)) continue;
      for (const ports::ExecutorTraits* one : readers(draft.entry)) all[one->plugin] = one;
    }
    std::vector<const ports::ExecutorTraits*> out;
    for (const auto& one : all) out.push_back(one.second);
    return out;
  }

  template <class Entry>
  void read_context(Draft<Entry>& draft) {
    const YamlNode* node = draft.section->at("context").node;
    if (node == nullptr || node->kind != YamlNode::Kind::kMap) return;
    const std::string path = draft.section->path_of("context");
    const std::vector<const ports::ExecutorTraits*> plugins = readers(draft.entry);
    const auto is_secret = [&](std::string_view name) {
      return std::any_of(plugins.begin(), plugins.end(), [&](const ports::ExecutorTraits* one) {
        return std::any_of(one->keys.begin(), one->keys.end(),
                           [&](const ports::ContextKey& key) { return key.secret && key.name == name; });
      });
    };
    draft.entry.context = contexts_.read(*node, path, is_secret);
    constexpr auto kLevel = std::is_same_v<Entry, domain::Command> ? ports::ContextLevel::kCommand
                                                                   : ports::ContextLevel::kCluster;
    for (const ports::ExecutorTraits* one : plugins) {
      check_context_keys(*draft.entry.context, *node, path, *one, kLevel, report_);
    }
  }

  static bool has_key(const domain::Entry& entry, const std::string& key) {
    return entry.context && entry.context->contains(key);
  }

  // A template that names a key which no context it can meet has will never be rendered.
  void warn_of_missing_keys() {
    for (const CommandDraft& draft : commands_) {
      for (const ContextReference& one : draft.references) {
        const bool own = one.space == "Command";
        warn_if_missing(one, own ? has_key(draft.entry, one.key) : any_cluster_has(draft.entry, one.key));
      }
    }
    for (const ClusterDraft& draft : clusters_) {
      for (const ContextReference& one : draft.references) {
        const bool own = one.space == "Cluster";
        warn_if_missing(one, own ? has_key(draft.entry, one.key) : any_command_has(draft.entry, one.key));
      }
    }
  }

  // True as well where nothing matches: other entries may come through the API.
  bool any_cluster_has(const domain::Command& command, const std::string& key) const {
    bool matched = false;
    for (const ClusterDraft& draft : clusters_) {
      if (!domain::may_meet(command, draft.entry)) continue;
      if (has_key(draft.entry, key)) return true;
      matched = true;
    }
    return !matched;
  }
  bool any_command_has(const domain::Cluster& cluster, const std::string& key) const {
    bool matched = false;
    for (const CommandDraft& draft : commands_) {
      if (!domain::may_meet(draft.entry, cluster)) continue;
      if (has_key(draft.entry, key)) return true;
      matched = true;
    }
    return !matched;
  }

  void warn_if_missing(const ContextReference& one, bool is_there) {
    if (is_there) return;
    const std::string name = "." + one.space + "." + one.key;
    const std::string text = name + " names a key that the " +
                             (one.space == "Cluster" ? "cluster" : "command") +
                             "'s context has not: the attribute will be left out";
    if (one.offset == 0) {
      report_.warning(*one.value, one.path, text);
    } else {
      report_.warning_in(*one.value, one.offset, one.path, text);
    }
  }

  domain::Catalog finished() {
    domain::Catalog catalog;
    for (CommandDraft& draft : commands_) {
      draft.entry.revision = domain::revision_of(draft.entry);
      const CommandId id = draft.entry.id;
      catalog.commands.emplace(id, std::make_shared<const domain::Command>(std::move(draft.entry)));
    }
    for (ClusterDraft& draft : clusters_) {
      draft.entry.revision = domain::revision_of(draft.entry);
      const ClusterId id = draft.entry.id;
      catalog.clusters.emplace(id, std::make_shared<const domain::Cluster>(std::move(draft.entry)));
    }
    return catalog;
  }

  const Section& root_;
  const Config& config_;
  const LoadOptions& options_;
  Report& report_;
  Redactor redactor_;
  ContextReader contexts_;
  std::vector<CommandDraft> commands_;
  std::vector<ClusterDraft> clusters_;
};

}  // namespace

domain::Catalog read_catalog(const Section& root, const Config& config, const LoadOptions& options,
                             const Environment& environment, Report& report) {
  return CatalogReader(root, config, options, environment, report).read();
}

void check_unique(const std::vector<Section>& items, const std::function<std::string(const Section&)>& key,
                  const std::string& what, Report& report) {
  std::map<std::string, const Section*> first;
  for (const Section& item : items) {
    const std::string name = key(item);
    if (name.empty()) continue;
    const auto [found, is_new] = first.emplace(name, &item);
    if (is_new) continue;
    const bool has_own = item.values.contains(what) && item.at(what).node != nullptr;
    const std::string member = has_own ? what : "name";
    report.mistake(item.place(member), item.path_of(member),
                   quoted(name) + " is already the " + what + " of " + found->second->path + " (line " +
                       std::to_string(found->second->node->line) + "): it must be unique");
  }
}

}  // namespace waybill::config
