#include "waybill/config/yaml_scalar.h"

#include <absl/strings/numbers.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace waybill::config {
namespace json = boost::json;
namespace {

constexpr std::string_view kCore = "tag:yaml.org,2002:";

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// A word with a meaning of its own; nullopt: none.
std::optional<json::value> named(std::string_view text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return json::value(nullptr);
  if (one_of(text, {"true", "True", "TRUE"})) return json::value(true);
  if (one_of(text, {"false", "False", "FALSE"})) return json::value(false);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return json::value(kInfinity);
  if (one_of(text, {"-.inf", "-.Inf", "-.INF"})) return json::value(-kInfinity);
  if (one_of(text, {".nan", ".NaN", ".NAN"})) return json::value(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

// Go's strconv.ParseInt and ParseUint with base 0: 0x, 0o, 0b and a leading 0 (octal).
std::optional<json::value> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  const auto prefixed = [&](char letter) {
    return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
  };
  if (prefixed('x')) base = 16;
  if (prefixed('o')) base = 8;
  if (prefixed('b')) base = 2;
  if (base != 10) {
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, magnitude, base);
  if (text.empty() || stopped != end || failed != std::errc()) return std::nullopt;

  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (negative && magnitude <= kMax + 1) return json::value(static_cast<std::int64_t>(~magnitude + 1));
  if (negative) return std::nullopt;
  if (magnitude <= kMax) return json::value(static_cast<std::int64_t>(magnitude));
  if (has_sign) return std::nullopt;
  return json::value(magnitude);
}

std::optional<json::value> decimal(const std::string& text) {
  static const RE2& form = *new RE2(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  double number = 0;
  if (!RE2::FullMatch(text, form) || !absl::SimpleAtod(text, &number) || !std::isfinite(number)) {
    return std::nullopt;
  }
  return json::value(number);
}

json::value plain_value(std::string_view text) {
  if (std::optional<json::value> word = named(text)) return *word;
  const json::value as_text = json::string(text);
  const char first = text.front();
  if (first == '.') return decimal(std::string(text)).value_or(as_text);
  if (first != '+' && first != '-' && (first < '0' || first > '9')) return as_text;
  std::string digits(text);
  std::erase(digits, '_');
  if (std::optional<json::value> number = integer(digits)) return *number;
  return decimal(digits).value_or(as_text);
}

}  // namespace

std::optional<json::value> resolve_scalar(std::string_view tag, std::string_view text) {
  if (tag == "?") return plain_value(text);
  if (!tag.starts_with(kCore)) return json::value(json::string(text));
  tag.remove_prefix(kCore.size());
  json::value value = plain_value(text);
  if (tag == "int" && (value.is_int64() || value.is_uint64())) return value;
  if (tag == "float" && value.is_number()) return json::value(value.to_number<double>());
  if (tag == "bool" && value.is_bool()) return value;
  if (tag == "null" && value.is_null()) return value;
  if (tag == "str" || tag == "timestamp") return json::value(json::string(text));
  return std::nullopt;
}

}  // namespace waybill::config
