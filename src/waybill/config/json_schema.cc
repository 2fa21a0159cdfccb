#include <boost/json.hpp>
#include <cmath>
#include <string>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/config/load.h"
#include "waybill/config/schema.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

// A value may always be absent ("key:"), and may come from the environment.
json::value or_reference(json::object own) {
  return json::object{{"anyOf", json::array{std::move(own), json::object{{"type", "null"}},
                                            json::object{{"type", "string"}, {"pattern", "\\$\\{env:"}}}}};
}

// YAML's numbers and booleans are taken as the text that was written.
json::object text_schema() { return {{"type", json::array{"string", "number", "boolean", "null"}}}; }

json::object list_of(json::value item) {
  return {{"type", json::array{"array", "null"}}, {"items", std::move(item)}};
}

json::array words_of(const Setting& setting) {
  json::array out;
  for (const std::string_view word : setting.words) out.push_back(json::string(word));
  return out;
}

json::object number_schema(const Setting& setting) {
  json::object own{{"type", setting.type == Type::kInteger ? "integer" : "number"}};
  const auto bound = [](double limit) -> json::value {
    if (std::floor(limit) == limit) return static_cast<std::int64_t>(limit);
    return limit;
  };
  if (std::isfinite(setting.min)) own["minimum"] = bound(setting.min);
  if (std::isfinite(setting.max)) own["maximum"] = bound(setting.max);
  return own;
}

json::object value_schema(const Setting& setting) {
  switch (setting.type) {
    case Type::kInteger:
    case Type::kNumber:
      return or_reference(number_schema(setting)).as_object();
    case Type::kBoolean:
      return or_reference({{"enum", json::array{true, false, "yes", "no", "on", "off"}}}).as_object();
    case Type::kWord:
      return or_reference({{"enum", words_of(setting)}}).as_object();
    case Type::kWords:
      return list_of(or_reference({{"enum", words_of(setting)}}));
    case Type::kStrings:
    case Type::kPatterns:
      return list_of(json::object{{"type", json::array{"string", "number", "boolean"}}});
    case Type::kTexts:
      return {{"type", json::array{"object", "null"}}, {"additionalProperties", text_schema()}};
    case Type::kObject:
      return {{"type", json::array{"object", "null"}}};
    case Type::kString:
    case Type::kSecret:
      return text_schema();
  }
  return {};
}

json::value default_of(const Setting& setting) {
  if (const auto* flag = std::get_if<bool>(&setting.fallback)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&setting.fallback)) return *number;
  if (const auto* number = std::get_if<double>(&setting.fallback)) return *number;
  if (const auto* text = std::get_if<std::string>(&setting.fallback)) return json::value(*text);
  if (const auto* list = std::get_if<std::vector<std::string>>(&setting.fallback)) {
    return json::array(list->begin(), list->end());
  }
  return nullptr;
}

json::object node_schema(const SchemaNode& node) {
  switch (node.kind) {
    case SchemaNode::Kind::kSetting: {
      json::object out = value_schema(*node.setting);
      out["description"] = node.setting->what;
      const json::value fallback = default_of(*node.setting);
      if (!fallback.is_null()) out["default"] = fallback;
      if (!node.setting->ignored.empty()) out["deprecated"] = true;
      return out;
    }
    case SchemaNode::Kind::kList:
      return list_of(node_schema(*node.item));
    case SchemaNode::Kind::kMap:
      return {{"type", json::array{"object", "null"}}, {"additionalProperties", node_schema(*node.item)}};
    case SchemaNode::Kind::kSection:
      break;
  }
  json::object properties;
  json::array required;
  for (const auto& [name, child] : node.children) {
    properties[name] = node_schema(*child);
    if (child->setting != nullptr && child->setting->required) required.push_back(json::string(name));
  }
  json::object out{{"type", json::array{"object", "null"}},
                   {"additionalProperties", false},
                   {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

// With an indentation of two, members in their order.
void write(const json::value& value, const std::string& indent, std::string& out) {
  const std::string deeper = indent + "  ";
  const json::object* object = value.if_object();
  if (object == nullptr || object->empty()) {
    out += json::serialize(value);
    return;
  }
  out += "{\n";
  std::size_t left = object->size();
  for (const auto& member : *object) {
    out += deeper + json::serialize(json::value(member.key())) + ": ";
    write(member.value(), deeper, out);
    out += --left > 0 ? ",\n" : "\n";
  }
  out += indent + "}";
}

}  // namespace

std::string generate_json_schema() {
  json::object root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "Configuration of Waybill"}};
  for (auto& member : node_schema(schema_tree(schema()))) root[member.key()] = member.value();
  std::string out;
  write(root, "", out);
  return out + "\n";
}

}  // namespace waybill::config
