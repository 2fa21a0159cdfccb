#include "waybill/config/context.h"

#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/config/check.h"
#include "waybill/config/context_value.h"
#include "waybill/config/yaml_scalar.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

json::object secret_reference(std::string_view kind, std::string_view what) {
  return {{kSecretKey, json::object{{kind, what}}}};
}

std::string levels_text(unsigned levels) {
  std::string out;
  const auto add = [&](ports::ContextLevel level, std::string_view word) {
    if ((levels & static_cast<unsigned>(level)) == 0) return;
    out += (out.empty() ? "" : " or ") + std::string(word);
  };
  add(ports::ContextLevel::kCommand, "a command");
  add(ports::ContextLevel::kCluster, "a cluster");
  add(ports::ContextLevel::kJob, "a job");
  return out;
}

}  // namespace

json::object ContextReader::read(const YamlNode& map, const std::string& path, const IsSecret& is_secret) {
  return read_map(map, {path, 1, false, false}, is_secret);
}

json::object ContextReader::read_map(const YamlNode& map, const Place& at, const IsSecret& is_secret) {
  json::object out;
  for (const YamlNode::Member& member : map.members) {
    Place below = at;
    below.path = join_path(at.path, member.name);
    if (member.name == kSecretKey) {
      report_.mistake(*member.key, below.path, "\"$secret\" is reserved: write !file PATH or !env NAME");
      continue;
    }
    below.looks_secret = at.looks_secret || redactor_.is_secret_key(member.name);
    below.declared_secret = at.declared_secret || (at.level == 1 && is_secret(member.name));
    out.insert_or_assign(member.name, read_value(*member.value, below, is_secret));
  }
  return out;
}

json::value ContextReader::read_value(const YamlNode& node, const Place& at, const IsSecret& is_secret) {
  if (node.kind == YamlNode::Kind::kNull) return nullptr;
  if (node.kind == YamlNode::Kind::kScalar) return read_scalar(node, at);
  if (at.level >= depth_) {
    report_.mistake(
        node, at.path,
        "it is nested too deep: at most " + std::to_string(depth_) + " levels (limits.context_depth)");
    return nullptr;
  }
  Place below = at;
  ++below.level;
  if (node.kind == YamlNode::Kind::kMap) return read_map(node, below, is_secret);
  json::array out;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    below.path = item_path(at.path, i);
    out.push_back(read_value(*node.items[i], below, is_secret));
  }
  return out;
}

json::value ContextReader::read_scalar(const YamlNode& node, const Place& at) {
  if (node.tag.starts_with("!") && node.tag.size() > 1) return read_tagged(node, at);
  if (!environment_references(node.text).empty()) return read_with_references(node, at);
  std::optional<json::value> value = resolve_scalar(node.tag, node.text);
  if (!value) {
    report_.mistake(node, at.path, quoted(node.text) + " is not what its tag says");
    return nullptr;
  }
  if (at.declared_secret && value->is_string()) return secret_reference("text", node.text);
  return *std::move(value);
}

json::value ContextReader::read_tagged(const YamlNode& node, const Place& at) {
  if (node.tag == "!file") {
    // A warning only: it is read at use, and may not be mounted where the file is checked.
    const absl::Status readable = read_secret_file(node.text).status();
    if (!readable.ok()) report_.warning(node, at.path, message(readable));
    return secret_reference("file", node.text);
  }
  if (node.tag == "!env") {
    if (!environment_(node.text)) {
      report_.mistake(node, at.path, "the environment variable " + node.text + " is not set");
    }
    return secret_reference("env", node.text);
  }
  report_.warning(node, at.path, "the tag " + node.tag + " has no meaning here (known: !file, !env)");
  return json::value(json::string(node.text));
}

json::value ContextReader::read_with_references(const YamlNode& node, const Place& at) {
  bool hidden = at.looks_secret || at.declared_secret;
  const std::vector<EnvironmentReference> references = environment_references(node.text);
  for (const EnvironmentReference& one : references) hidden = hidden || redactor_.is_secret_key(one.name);
  if (!report_references(node, references, at.path, environment_, report_)) return nullptr;
  if (hidden) return secret_reference("text", node.text);
  const std::string text = *expand_environment(node.text, environment_);
  return resolve_scalar(node.tag, text).value_or(json::value(json::string(text)));
}

void check_context_keys(const json::object& context, const YamlNode& map, const std::string& path,
                        const ports::ExecutorTraits& traits, ports::ContextLevel level, Report& report) {
  for (const ports::ContextKey& key : traits.keys) {
    const json::value* value = context.if_contains(key.name);
    const YamlNode::Member* member = map.find(key.name);
    if (value == nullptr || member == nullptr || value->is_null()) continue;
    const std::string key_path = join_path(path, key.name);
    if ((key.levels & static_cast<unsigned>(level)) == 0) {
      report.warning(*member->key, key_path,
                     "the plugin " + traits.plugin + " takes it from " + levels_text(key.levels) +
                         " only: here it is for templates");
    } else if (const absl::Status fits = check_context_value(*value, key, traits.plugin); !fits.ok()) {
      report.mistake(*member->value, key_path, message(fits));
    }
  }
}

}  // namespace waybill::config
