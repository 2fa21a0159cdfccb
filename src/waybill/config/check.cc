#include "waybill/config/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <optional>
#include <utility>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/config/forms.h"
#include "waybill/config/yaml_scalar.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

constexpr int kMaxFaults = 10;  // told of in one scalar

std::string kind_word(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return quoted(node.text);
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a mapping";
  }
  return "";
}

std::vector<std::string> child_names(const SchemaNode& schema) {
  std::vector<std::string> names;
  for (const auto& child : schema.children) names.push_back(child.first);
  return names;
}

// What yaml.v3 takes for a boolean where one is wanted.
std::optional<bool> boolean_of(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  const json::string* word = value.if_string();
  if (word == nullptr) return std::nullopt;
  if (*word == "y" || *word == "Y" || *word == "yes" || *word == "on") return true;
  if (*word == "n" || *word == "N" || *word == "no" || *word == "off") return false;
  return std::nullopt;
}

// A whole number or a plain one, as `setting` wants it and within its bounds.
std::optional<Value> number_of(const Setting& setting, const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  const double size = value.to_number<double>();
  if (!(size >= setting.min && size <= setting.max)) return std::nullopt;
  if (setting.type == Type::kNumber) return Value(size);
  if (value.is_double() && std::floor(size) != size) return std::nullopt;
  if (std::abs(size) > 9e15) return std::nullopt;  // a double can't hold it exactly
  return Value(value.is_int64() ? value.get_int64() : static_cast<std::int64_t>(size));
}

bool may_be_hidden(const Setting& setting) {
  return setting.type == Type::kSecret || setting.assign != nullptr || !setting.alias.empty();
}

}  // namespace

bool report_references(const YamlNode& scalar, const std::vector<EnvironmentReference>& references,
                       const std::string& path, const Environment& environment, Report& report) {
  int faults = 0;
  for (const EnvironmentReference& one : references) {
    const std::string alone = scalar.text.substr(one.offset, one.length);
    const absl::Status fault = expand_environment(alone, environment).status();
    if (fault.ok()) continue;
    report.mistake_in(scalar, one.offset, path, message(fault));
    if (++faults == kMaxFaults) break;
  }
  return faults == 0;
}

std::string Section::text(const std::string& name) const {
  const auto* found = std::get_if<std::string>(&at(name).value);
  return found == nullptr ? "" : *found;
}
bool Section::flag(const std::string& name) const {
  const bool* found = std::get_if<bool>(&at(name).value);
  return found != nullptr && *found;
}
std::int64_t Section::integer(const std::string& name) const {
  const auto* found = std::get_if<std::int64_t>(&at(name).value);
  return found == nullptr ? 0 : *found;
}
double Section::number(const std::string& name) const {
  const double* found = std::get_if<double>(&at(name).value);
  return found == nullptr ? 0 : *found;
}
std::vector<std::string> Section::texts(const std::string& name) const {
  const auto* found = std::get_if<std::vector<std::string>>(&at(name).value);
  return found == nullptr ? std::vector<std::string>() : *found;
}
Secret Section::secret(const std::string& name) const {
  if (const auto* found = std::get_if<Secret>(&at(name).value)) return *found;
  return Secret(text(name));
}
const YamlNode& Section::place(const std::string& name) const {
  const YamlNode* own = at(name).node;
  return own != nullptr ? *own : *node;
}

Section Checker::section(const SchemaNode& schema, const YamlNode* node, const std::string& path) {
  Section out;
  out.path = path;
  if (node != nullptr && node->kind != YamlNode::Kind::kMap && node->kind != YamlNode::Kind::kNull) {
    report_.mistake(*node, path, kind_word(*node) + " is not allowed here: it must be a mapping");
    node = nullptr;
  }
  if (node != nullptr && node->kind == YamlNode::Kind::kMap) out.node = node;
  for (const auto& [name, child] : schema.children) {
    switch (child->kind) {
      case SchemaNode::Kind::kSetting:
        out.values[name] = {child->setting->fallback, Origin::kDefault, child->setting, nullptr};
        break;
      case SchemaNode::Kind::kSection: {
        const YamlNode::Member* member = out.given() ? node->find(name) : nullptr;
        out.sections[name] = section(*child, member ? member->value.get() : nullptr, join_path(path, name));
        break;
      }
      case SchemaNode::Kind::kList:
        out.lists[name];
        break;
      case SchemaNode::Kind::kMap:
        out.maps[name];
        break;
    }
  }
  if (!out.given()) return out;
  for (const YamlNode::Member& member : node->members) read_member(schema, member, out);
  for (const auto& [name, checked] : out.values) {
    if (checked.setting->required &&
        (checked.node == nullptr || checked.node->kind == YamlNode::Kind::kNull)) {
      report_.mistake(*node, join_path(path, name), "it is missing: " + checked.setting->what);
    }
  }
  return out;
}

void Checker::read_member(const SchemaNode& schema, const YamlNode::Member& member, Section& out) {
  const std::string path = join_path(out.path, member.name);
  const SchemaNode* known = schema.child(member.name);
  if (known == nullptr) {
    report_.mistake(*member.key, path,
                    quoted(member.name) +
                        " is not a key that is known here: " + suggestion(member.name, child_names(schema)));
    return;
  }
  const YamlNode& node = *member.value;
  switch (known->kind) {
    case SchemaNode::Kind::kSetting:
      out.values[member.name] = value(*known->setting, node, path);
      if (!known->setting->ignored.empty()) {
        report_.warning(*member.key, path, std::string(known->setting->ignored));
      }
      break;
    case SchemaNode::Kind::kSection:
      break;  // read by section()
    case SchemaNode::Kind::kList:
      read_list(*known->item, node, path, out.lists[member.name]);
      break;
    case SchemaNode::Kind::kMap:
      read_map(*known->item, node, path, out.maps[member.name]);
      break;
  }
}

void Checker::read_list(const SchemaNode& schema, const YamlNode& node, const std::string& path,
                        std::vector<Section>& out) {
  if (node.kind == YamlNode::Kind::kNull) return;
  if (node.kind != YamlNode::Kind::kList) {
    report_.mistake(node, path, kind_word(node) + " is not allowed here: it must be a list of mappings");
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = *node.items[i];
    if (item.kind == YamlNode::Kind::kNull) {
      report_.mistake(item, item_path(path, i), "it is empty: it must be a mapping");
      continue;
    }
    Section one = section(schema, &item, item_path(path, i));
    if (one.given()) out.push_back(std::move(one));
  }
}

void Checker::read_map(const SchemaNode& schema, const YamlNode& node, const std::string& path,
                       std::vector<std::pair<std::string, Section>>& out) {
  if (node.kind == YamlNode::Kind::kNull) return;
  if (node.kind != YamlNode::Kind::kMap) {
    report_.mistake(node, path, kind_word(node) + " is not allowed here: it must be a mapping");
    return;
  }
  for (const YamlNode::Member& member : node.members) {
    const std::string member_path = join_path(path, member.name);
    if (member.value->kind == YamlNode::Kind::kNull) {
      report_.mistake(*member.key, member_path, "it is empty: it must be a mapping");
      continue;
    }
    Section one = section(schema, member.value.get(), member_path);
    if (one.given()) out.emplace_back(member.name, std::move(one));
  }
}

Checked Checker::value(const Setting& setting, const YamlNode& node, const std::string& path) {
  Checked out{setting.fallback, Origin::kFile, &setting, &node};
  if (node.kind == YamlNode::Kind::kNull) {
    out.origin = Origin::kDefault;
    return out;
  }
  switch (setting.type) {
    case Type::kObject:
      if (node.kind != YamlNode::Kind::kMap) not_allowed(setting, node, path);
      break;
    case Type::kTexts:
      if (node.kind != YamlNode::Kind::kMap) {
        not_allowed(setting, node, path);
      } else {
        check_texts(node, path);
      }
      break;
    case Type::kStrings:
    case Type::kWords:
    case Type::kPatterns:
      read_strings(setting, node, path, out);
      break;
    default:
      if (node.kind != YamlNode::Kind::kScalar) {
        not_allowed(setting, node, path);
      } else {
        read_scalar(setting, node, path, out);
      }
  }
  return out;
}

Checker::Text Checker::expanded(const YamlNode& scalar, const std::string& path) {
  Text out;
  const std::vector<EnvironmentReference> references = environment_references(scalar.text);
  if (references.empty()) {
    out.text = scalar.text;
    return out;
  }
  out.origin = Origin::kEnvironment;
  absl::StatusOr<std::string> text = expand_environment(scalar.text, environment_);
  if (text.ok()) {
    out.text = *std::move(text);
    return out;
  }
  out.ok = false;
  report_references(scalar, references, path, environment_, report_);
  return out;
}

void Checker::read_scalar(const Setting& setting, const YamlNode& node, const std::string& path,
                          Checked& out) {
  if (node.tag == "!file" || node.tag == "!env") {
    if (!may_be_hidden(setting)) {
      report_.mistake(node, path, node.tag + " is not allowed here: only in contexts and in settings");
      return;
    }
    const json::object reference{{node.tag.substr(1), node.text}};
    absl::StatusOr<json::object> secret =
        resolve_secrets({{"value", json::object{{kSecretKey, reference}}}}, environment_);
    if (!secret.ok()) {
      report_.mistake(node, path, message(secret.status()).substr(std::string_view("value: ").size()));
      return;
    }
    const std::string text(secret->at("value").as_string());
    if (!fits(setting, node, text, path)) return;
    out.value = Secret(text);
    if (setting.type != Type::kString && setting.type != Type::kSecret) {
      report_.mistake(node, path, node.tag + " is not allowed here: it must be " + allowed(setting));
    }
    if (node.tag == "!env") out.origin = Origin::kEnvironment;
    return;
  }
  if (node.tag.starts_with("!") && node.tag.size() > 1) {
    report_.warning(node, path, "the tag " + node.tag + " has no meaning here (known: !file, !env)");
  }
  const Text text = expanded(node, path);
  if (!text.ok) return;
  out.origin = text.origin;
  const bool from_environment = text.origin == Origin::kEnvironment;
  const std::optional<json::value> resolved = resolve_scalar(from_environment ? "?" : node.tag, text.text);
  if (!resolved) {
    report_.mistake(node, path, quoted(node.text) + " is not what its tag says");
    return;
  }
  std::optional<Value> value;
  switch (setting.type) {
    case Type::kInteger:
    case Type::kNumber:
      value = number_of(setting, *resolved);
      break;
    case Type::kBoolean:
      if (const std::optional<bool> flag = boolean_of(*resolved)) value = Value(*flag);
      break;
    case Type::kWord:
      if (std::find(setting.words.begin(), setting.words.end(), text.text) != setting.words.end()) {
        value = Value(text.text);
      }
      break;
    default:
      if (!fits(setting, node, text.text, path)) return;
      value = setting.type == Type::kSecret ? Value(Secret(text.text)) : Value(text.text);
  }
  if (!value) return not_allowed(setting, node, path);
  out.value = *std::move(value);
}

void Checker::read_strings(const Setting& setting, const YamlNode& node, const std::string& path,
                           Checked& out) {
  if (node.kind != YamlNode::Kind::kList) return not_allowed(setting, node, path);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = *node.items[i];
    const std::string one_path = item_path(path, i);
    if (item.kind != YamlNode::Kind::kScalar) {
      report_.mistake(item, one_path, kind_word(item) + " is not allowed here: it must be a text");
      continue;
    }
    if (item.tag == "!file" || item.tag == "!env") {
      report_.mistake(item, one_path, item.tag + " is not allowed here: only in contexts and in settings");
      continue;
    }
    Text text = expanded(item, one_path);
    if (!text.ok || !fits(setting, item, text.text, one_path)) continue;
    if (text.origin == Origin::kEnvironment) out.origin = text.origin;
    texts.push_back(std::move(text.text));
  }
  out.value = std::move(texts);
}

void Checker::check_texts(const YamlNode& node, const std::string& path) {
  for (const YamlNode::Member& member : node.members) {
    if (member.value->kind == YamlNode::Kind::kScalar) continue;
    report_.mistake(*member.value, join_path(path, member.name),
                    kind_word(*member.value) + " is not allowed here: it must be a text");
  }
}

bool Checker::fits(const Setting& setting, const YamlNode& node, const std::string& text,
                   const std::string& path) {
  if (setting.type == Type::kPatterns) {
    const std::string fault = pattern_fault(text);
    if (fault.empty()) return true;
    report_.mistake(node, path, quoted(node.text) + " is not a pattern of RE2: " + fault);
    return false;
  }
  if (setting.type == Type::kWords) {
    if (std::find(setting.words.begin(), setting.words.end(), text) != setting.words.end()) return true;
    report_.mistake(node, path,
                    quoted(node.text) +
                        " is not allowed: " + suggestion(text, {setting.words.begin(), setting.words.end()}));
    return false;
  }
  if (has_form(setting.form, text)) return true;
  if (setting.type == Type::kStrings) {
    Setting item = setting;
    item.type = Type::kString;
    not_allowed(item, node, path);
  } else {
    not_allowed(setting, node, path);
  }
  return false;
}

void Checker::not_allowed(const Setting& setting, const YamlNode& node, const std::string& path) {
  const bool hidden = setting.type == Type::kSecret || node.tag == "!file" || node.tag == "!env";
  report_.mistake(
      node, path,
      (hidden ? "the value" : kind_word(node)) + " is not allowed: it must be " + allowed(setting));
}

}  // namespace waybill::config
