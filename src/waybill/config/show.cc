#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/base/redact.h"
#include "waybill/config/entry_json.h"
#include "waybill/config/load.h"
#include "waybill/config/schema.h"
#include "waybill/config/yaml_text.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

std::string origin_text(const Effective& one) {
  switch (one.origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kFile:
      return one.line > 0 ? fmt::format("file, line {}", one.line) : "file";
    case Origin::kEnvironment:
      return fmt::format("environment, by line {}", one.line);
  }
  return "";
}

void write_settings(const SchemaNode& schema, const std::string& path, const Config& config,
                    std::string& out) {
  const auto depth = path.empty() ? 0 : 1 + std::count(path.begin(), path.end(), '.');
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (const auto& [name, child] : schema.children) {
    const std::string child_path = path.empty() ? name : path + "." + name;
    if (child->kind == SchemaNode::Kind::kSetting) {
      const auto found = config.settings.find(child_path);
      if (found == config.settings.end()) continue;
      out += fmt::format("{}{}: {}  # {}\n", indent, name, yaml_text(found->second.value),
                         origin_text(found->second));
    } else if (child->kind == SchemaNode::Kind::kSection) {
      std::string inner;
      write_settings(*child, child_path, config, inner);
      if (!inner.empty()) out += fmt::format("{}{}:\n{}", indent, name, inner);
    }
  }
}

// A list of objects, a member a line.
void write_list(std::string_view name, const std::vector<json::object>& items, std::string& out) {
  if (items.empty()) return;
  out += fmt::format("{}:\n", name);
  for (const json::object& item : items) {
    std::string_view start = "  - ";
    for (const auto& member : item) {
      out += fmt::format("{}{}: {}\n", start, std::string_view(member.key()), yaml_text(member.value()));
      start = "    ";
    }
  }
}

json::array list_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object kubernetes_json(const KubernetesAccess& access) {
  return {{"in_cluster", access.in_cluster}, {"kubeconfig", access.kubeconfig}, {"context", access.context}};
}

std::vector<json::object> history_json(const Config& config) {
  std::vector<json::object> out;
  for (const HistorySource& one : config.history) {
    out.push_back({{"cluster", one.cluster.str()},
                   {"kubernetes", kubernetes_json(one.kubernetes)},
                   {"namespaces", list_of(one.namespaces)},
                   {"label_selector", one.label_selector},
                   {"mask_manifests", one.mask_manifests}});
  }
  return out;
}

std::vector<json::object> webhooks_json(const Config& config) {
  std::vector<json::object> out;
  for (const Webhook& one : config.webhooks) {
    out.push_back({{"url", "***"},
                   {"events", list_of(one.events)},
                   {"statuses", list_of(one.statuses)},
                   {"secret", one.secret.empty() ? "" : "***"},
                   {"timeout_seconds", absl::ToInt64Seconds(one.timeout)}});
  }
  return out;
}

json::object template_json(const FeatureJobTemplate& one) {
  return {{"image", one.image}, {"spec", one.spec}};
}

json::object feature_store_json(const FeatureStore& store) {
  json::array stores;
  for (const FeatureStoreBackend& one : store.stores) {
    json::object item{{"name", one.name}};
    if (one.batch_ingestion) item["batch_ingestion"] = template_json(*one.batch_ingestion);
    if (one.stream_ingestion) item["stream_ingestion"] = template_json(*one.stream_ingestion);
    stores.push_back(std::move(item));
  }
  json::object projects;
  for (const auto& [project, values] : store.projects) {
    json::object texts;
    for (const auto& [name, text] : values) texts[name] = text;
    projects[project] = json::object{{"values", std::move(texts)}};
  }
  json::object out{{"namespace", store.name_space},
                   {"kubernetes", kubernetes_json(store.kubernetes)},
                   {"default_batch_store", store.default_batch_store},
                   {"default_stream_store", store.default_stream_store},
                   {"stores", std::move(stores)}};
  if (store.retrieval) out["retrieval"] = template_json(*store.retrieval);
  out["delta"] = json::object{{"project", store.delta_project}, {"dataset", store.delta_dataset}};
  out["default_max_age"] = absl::ToInt64Seconds(store.default_max_age);
  out["sync_ingestion_job_on_spec_update"] = store.sync_ingestion_job_on_spec_update;
  out["projects"] = std::move(projects);
  return out;
}

}  // namespace

std::string show(const Config& config) {
  const Redactor redactor(config.secret_keys);
  std::string out = config.file.empty()
                        ? "# no file: everything is a default\n"
                        : fmt::format("# from {}\n", json::serialize(json::value(config.file)));
  write_settings(schema_tree(schema()), "", config, out);
  write_list("webhooks", webhooks_json(config), out);

  std::vector<json::object> commands;
  for (const auto& [id, command] : config.base.commands)
    commands.push_back(redactor.masked(entry_json(*command)));
  write_list("commands", commands, out);
  std::vector<json::object> clusters;
  for (const auto& [id, cluster] : config.base.clusters)
    clusters.push_back(redactor.masked(entry_json(*cluster)));
  write_list("clusters", clusters, out);

  std::vector<json::object> rbacs;
  for (const Rbac& one : config.rbacs) rbacs.push_back({{"name", one.name}, {"type", one.type}});
  write_list("rbacs", rbacs, out);
  write_list("history", history_json(config), out);
  if (config.feature_store) {
    out += "feature_store:\n";
    for (const auto& member : redactor.masked(feature_store_json(*config.feature_store))) {
      out += fmt::format("  {}: {}\n", std::string_view(member.key()), yaml_text(member.value()));
    }
  }
  return out;
}

}  // namespace waybill::config
