#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::domain {

// How a value is meant to be shown. kUnset: the config gave no kind; shown as text and left out of the JSON.
enum class AttributeKind { kUnset, kText, kLink };
// When a reader wants to see it.
enum class AttributeShow { kAlways, kRunning, kFinished, kFailed };

[[nodiscard]] std::string_view to_string(AttributeKind kind);  // "", "text", "link"
[[nodiscard]] std::string_view to_string(AttributeShow show);  // "always", …
[[nodiscard]] std::optional<AttributeKind> parse_attribute_kind(std::string_view word);
[[nodiscard]] std::optional<AttributeShow> parse_attribute_show(std::string_view word);

// As in config: the text of a template, not yet rendered.
struct AttributeTemplate {
  std::string label;
  AttributeKind kind = AttributeKind::kUnset;
  AttributeShow show = AttributeShow::kAlways;
  std::string value;
  friend bool operator==(const AttributeTemplate&, const AttributeTemplate&) = default;
};

// Rendered, as stored with a job or record.
struct Attribute {
  AttributeKind kind = AttributeKind::kUnset;
  AttributeShow show = AttributeShow::kAlways;
  std::string value;
  int position = 0;  // order of the config
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

using Attributes = std::map<std::string, Attribute>;         // by label
using AttributeErrors = std::map<std::string, std::string>;  // label -> what went wrong

// What a plugin learnt while a job ran: key -> text. Transient unless `keep_outputs`.
using Outputs = std::map<std::string, std::string>;

}  // namespace waybill::domain
