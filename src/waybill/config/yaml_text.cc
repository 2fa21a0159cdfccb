#include "waybill/config/yaml_text.h"

#include <re2/re2.h>

#include <boost/json.hpp>
#include <type_traits>
#include <variant>

#include "waybill/base/redact.h"
#include "waybill/config/yaml_scalar.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

std::string string_text(const std::string& text) {
  static const RE2& plain = *new RE2(R"([A-Za-z./_][A-Za-z0-9./_-]*)");
  const bool reads_back = RE2::FullMatch(text, plain) && resolve_scalar("?", text)->is_string();
  return reads_back ? text : json::serialize(json::value(text));
}

std::string hidden(const Secret& secret) {
  const std::string& text = secret.reveal();
  if (text.empty()) return "\"\"";
  const bool is_connection =
      text.starts_with("sqlite:") || text.starts_with("postgres://") || text.starts_with("postgresql://");
  return is_connection ? string_text(masked_connection(text)) : "\"***\"";
}

}  // namespace

std::string yaml_text(const Value& value) {
  return std::visit(
      [](const auto& one) -> std::string {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "null";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return string_text(one);
        } else if constexpr (std::is_same_v<T, Secret>) {
          return hidden(one);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          std::string out = "[";
          for (const std::string& item : one) out += (out.size() > 1 ? ", " : "") + string_text(item);
          return out + "]";
        } else {
          return yaml_text(json::value(one));
        }
      },
      value);
}

std::string yaml_text(const json::value& value) {
  if (const json::string* text = value.if_string()) return string_text(std::string(*text));
  if (const double* number = value.if_double()) {
    // A number that is whole stays a float for who reads it back.
    if (*number == static_cast<double>(static_cast<std::int64_t>(*number)) && *number < 1e15 &&
        *number > -1e15) {
      return std::to_string(static_cast<std::int64_t>(*number)) + ".0";
    }
  }
  if (const json::array* array = value.if_array()) {
    std::string out = "[";
    for (const json::value& item : *array) out += (out.size() > 1 ? ", " : "") + yaml_text(item);
    return out + "]";
  }
  if (const json::object* object = value.if_object()) {
    std::string out = "{";
    for (const auto& member : *object) {
      out += (out.size() > 1 ? ", " : "") + string_text(std::string(member.key())) + ": " +
             yaml_text(member.value());
    }
    return out + "}";
  }
  return json::serialize(value);
}

}  // namespace waybill::config
