#include "waybill/plugins/kubernetes/template_file.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/config/yaml_scalar.h"
#include "waybill/config/yaml_tree.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

using config::YamlNode;

absl::Status at(const std::string& path, int line, int col, const std::string& what) {
  return invalid(fmt::format("{}:{}:{}: {}", path, line, col, what));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as parse_yaml allows
absl::StatusOr<json::value> to_json(const YamlNode& node, const std::string& path) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return json::value(nullptr);
    case YamlNode::Kind::kScalar: {
      std::optional<json::value> value = config::resolve_scalar(node.tag, node.text);
      if (!value) return at(path, node.line, node.col, "it is not what its tag says");
      return *std::move(value);
    }
    case YamlNode::Kind::kList: {
      json::array list;
      for (const config::YamlPtr& item : node.items) {
        WB_ASSIGN(json::value value, to_json(*item, path));
        list.push_back(std::move(value));
      }
      return json::value(std::move(list));
    }
    case YamlNode::Kind::kMap:
      break;
  }
  json::object map;
  for (const YamlNode::Member& member : node.members) {
    WB_ASSIGN(json::value value, to_json(*member.value, path));
    map.insert_or_assign(member.name, std::move(value));
  }
  return json::value(std::move(map));
}

}  // namespace

absl::StatusOr<json::object> parse_template(const std::string& text, const std::string& path) {
  const config::YamlDocument document = config::parse_yaml(text);
  if (!document.mistakes.empty()) {
    const config::YamlMistake& first = document.mistakes.front();
    return at(path, first.line, first.col, first.text);
  }
  if (document.root == nullptr || document.root->kind != YamlNode::Kind::kMap)
    return at(path, 1, 1, "it is not one manifest: a map with kind and spec");
  WB_ASSIGN(json::value value, to_json(*document.root, path));
  return std::move(value.get_object());
}

absl::StatusOr<json::object> read_template(const std::string& path) {
  if (path.empty()) return json::object();
  std::ifstream file(path, std::ios::binary);
  if (!file) return invalid(fmt::format("the template {} can't be read", path));
  std::ostringstream text;
  text << file.rdbuf();
  if (text.str().size() > config::kMaxYamlBytes)
    return invalid(fmt::format("the template {} has more than {} bytes", path, config::kMaxYamlBytes));
  return parse_template(text.str(), path);
}

// NOLINTNEXTLINE(misc-no-recursion): contexts and templates have a limited depth
void merge_json(json::object& into, const json::object& over) {
  for (const auto& member : over) {
    if (member.value().is_null()) {
      into.erase(member.key());
      continue;
    }
    json::value& place = into[member.key()];
    if (place.is_object() && member.value().is_object()) {
      merge_json(place.get_object(), member.value().get_object());
    } else {
      place = member.value();
    }
  }
}

}  // namespace waybill::plugins
