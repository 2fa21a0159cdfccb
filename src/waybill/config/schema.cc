#include "waybill/config/schema.h"

#include <absl/strings/str_join.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace waybill::config {
namespace {

// The section that a path leads to, made where it isn't there yet; `path` ends before the setting's own name.
SchemaNode* section_at(SchemaNode* node, std::string_view path) {
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    std::string_view name = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    SchemaNode::Kind kind = SchemaNode::Kind::kSection;
    if (name.ends_with("[]")) kind = SchemaNode::Kind::kList;
    if (name.ends_with("{}")) kind = SchemaNode::Kind::kMap;
    if (kind != SchemaNode::Kind::kSection) name.remove_suffix(2);

    auto found = std::find_if(node->children.begin(), node->children.end(),
                              [&](const auto& child) { return child.first == name; });
    if (found == node->children.end()) {
      auto made = std::make_unique<SchemaNode>();
      made->kind = kind;
      if (kind != SchemaNode::Kind::kSection) made->item = std::make_unique<SchemaNode>();
      node->children.emplace_back(std::string(name), std::move(made));
      found = std::prev(node->children.end());
    }
    node = found->second->item ? found->second->item.get() : found->second.get();
  }
  return node;
}

std::string bounds(const Setting& setting) {
  std::string text;
  if (std::isfinite(setting.min) && std::isfinite(setting.max)) {
    text = fmt::format(" from {} to {}", setting.min, setting.max);
    if (setting.type == Type::kInteger)
      text = fmt::format(" from {:.0f} to {:.0f}", setting.min, setting.max);
  }
  if (!setting.unit.empty()) text += fmt::format(" ({})", setting.unit);
  return text;
}

std::string form_text(Form form) {
  switch (form) {
    case Form::kAny:
      return "a text";
    case Form::kFilled:
      return "a text that is not empty";
    case Form::kFolder:
      return "a folder (there are no object stores such as s3:// yet: instances share a mounted one)";
    case Form::kAddress:
      return "HOST:PORT, :PORT, [V6]:PORT or unix:/PATH";
    case Form::kDatabase:
      return "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME";
    case Form::kUrl:
      return "a URL that begins with http:// or https://";
    case Form::kHeader:
      return "the name of an HTTP header";
    case Form::kNetwork:
      return "an address (10.0.0.1) or a network (10.0.0.0/8)";
    case Form::kScheme:
      return "the scheme of a URL, such as https, and not one that runs code";
    case Form::kNamespace:
      return "a Kubernetes namespace (lower-case letters, digits and '-', at most 63)";
    case Form::kStatus:
      return "active, inactive or deleted";
    case Form::kTag:
      return "a tag: a text that is not empty, without control characters";
  }
  return "";
}

}  // namespace

const std::vector<Setting>& schema() {
  static const std::vector<Setting>& all = *new std::vector<Setting>(
      joined({server_settings(), engine_settings(), catalog_settings(), history_settings()}));
  return all;
}

std::vector<Setting> joined(const std::vector<std::vector<Setting>>& parts) {
  std::vector<Setting> all;
  for (const std::vector<Setting>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const SchemaNode* SchemaNode::child(std::string_view name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const auto& member) { return member.first == name; });
  return found == children.end() ? nullptr : found->second.get();
}

SchemaNode schema_tree(const std::vector<Setting>& settings) {
  SchemaNode root;
  for (const Setting& setting : settings) {
    const std::string_view name = setting.name;
    const std::size_t dot = name.rfind('.');
    const bool at_root = dot == std::string_view::npos;
    SchemaNode* section = section_at(&root, at_root ? "" : name.substr(0, dot));
    auto leaf = std::make_unique<SchemaNode>();
    leaf->kind = SchemaNode::Kind::kSetting;
    leaf->setting = &setting;
    section->children.emplace_back(std::string(at_root ? name : name.substr(dot + 1)), std::move(leaf));
  }
  return root;
}

std::string_view section_text(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"server", "Where and how the server listens."},
      {"database", "Where everything is stored. SQLite for one instance, PostgreSQL for one or several."},
      {"auth", "Who calls, and what they may do."},
      {"log", "The server's own log, on standard error."},
      {"webhooks", "Whom to tell of transitions of jobs and records."},
      {"pool", "How much runs at the same time."},
      {"janitor", "How long things are kept."},
      {"health_check", "Probes of the clusters that ask for them."},
      {"limits", "What is too much. Past a limit the answer is a clear 4xx, and nothing is stored."},
      {"shell", "Jobs of the shell plugin."},
      {"commands",
       "What can be run. Without commands and clusters in the file there are `ping` and `shell` on "
       "`localhost`; "
       "`shell` only where it is safe."},
      {"clusters",
       "Where it can be run. A job goes to a cluster that has all of its command's cluster_tags."},
      {"rbacs",
       "Heimdall's access rules. They are read so that its files load, and are not enforced: use "
       "commands[].allowed_callers."},
      {"history", "Which runs on Kubernetes are recorded, whoever started them."},
      {"feature_store", "The CaraML-compatible gRPC services. Absent, they are off."},
  };
  const auto* found = std::find_if(std::begin(kTexts), std::end(kTexts),
                                   [&](const auto& text) { return text.first == name; });
  return found == std::end(kTexts) ? std::string_view() : found->second;
}

std::string allowed(const Setting& setting) {
  switch (setting.type) {
    case Type::kInteger:
      if (setting.min == setting.max) return fmt::format("{} ({})", setting.min, setting.unit);
      return "a whole number" + bounds(setting);
    case Type::kNumber:
      return "a number" + bounds(setting);
    case Type::kBoolean:
      return "true or false";
    case Type::kWord:
      return absl::StrJoin(setting.words, " or ",
                           [](std::string* out, std::string_view word) { *out += word; });
    case Type::kWords:
      return "a list of " + absl::StrJoin(setting.words, ", ",
                                          [](std::string* out, std::string_view word) { *out += word; });
    case Type::kPatterns:
      return "a list of RE2 patterns";
    case Type::kStrings:
      return setting.form == Form::kAny ? "a list of texts" : "a list, each item " + form_text(setting.form);
    case Type::kTexts:
      return "a mapping of texts";
    case Type::kObject:
      return "a mapping";
    case Type::kString:
    case Type::kSecret:
      return form_text(setting.form);
  }
  return "";
}

}  // namespace waybill::config
