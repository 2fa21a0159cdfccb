#include "waybill/base/go_json.h"

#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "waybill/base/hex.h"

namespace waybill {
namespace json = boost::json;
namespace {

constexpr double kWhole = 9007199254740992.0;  // 2^53: up to here every integer is a double

void append_integer(std::int64_t number, std::string& out) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  out.append(text.data(), end.ptr);
}

// "1.2345e+18" as "1234500000000000000".
void append_large_whole(std::string_view scientific, std::string& out) {
  const std::size_t e = scientific.find('e');
  std::size_t exponent = 0;
  std::from_chars(scientific.data() + e + 2, scientific.data() + scientific.size(), exponent);
  std::size_t digits = 0;
  for (const char c : scientific.substr(0, e)) {
    if (c == '.') continue;
    out += c;
    if (c != '-') ++digits;
  }
  out.append(exponent + 1 - digits, '0');
}

// "1e-07" as "1e-7".
void append_short_exponent(std::string_view scientific, std::string& out) {
  const std::size_t first = scientific.find('e') + 2;
  out += scientific.substr(0, first);
  const std::size_t digit = scientific.find_first_not_of('0', first);
  out += scientific.substr(digit == std::string_view::npos ? first : digit);
}

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u";
      append_hex(out, static_cast<unsigned char>(c), 4);
  }
}

}  // namespace

// encoding/json: the shortest digits that read back as the same number; with an exponent below 1e-6 and from
// 1e21, which has no leading zeros ("1e-7", "1e+21").
void append_go_number(double number, std::string& out) {
  const double size = std::fabs(number);
  if (number == std::trunc(number) && size <= kWhole && !(size == 0 && std::signbit(number))) {
    append_integer(static_cast<std::int64_t>(number), out);
    return;
  }
  std::array<char, 64> text{};
  const bool fraction = size == 0 || (size >= 1e-6 && size <= kWhole);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 fraction ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  if (fraction) {
    out += digits;
  } else if (size > kWhole && size < 1e21) {
    append_large_whole(digits, out);
  } else {
    append_short_exponent(digits, out);
  }
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    out.append(text, start, i - start);
    append_escaped(text[i], out);
    start = i + 1;
  }
  out.append(text, start);
  out += '"';
}

void append_go_json(const json::value& value, std::string& out) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
      append_go_number(static_cast<double>(value.get_int64()), out);
      return;
    case json::kind::uint64:
      append_go_number(static_cast<double>(value.get_uint64()), out);
      return;
    case json::kind::double_:
      append_go_number(value.get_double(), out);
      return;
    case json::kind::string:
      append_json_string(value.get_string(), out);
      return;
    case json::kind::array: {
      char between = '[';
      for (const json::value& item : value.get_array()) {
        out += between;
        append_go_json(item, out);
        between = ',';
      }
      if (between == '[') out += '[';
      out += ']';
      return;
    }
    case json::kind::object: {
      char between = '{';
      for (const auto& member : value.get_object()) {
        out += between;
        append_json_string(member.key(), out);
        out += ':';
        append_go_json(member.value(), out);
        between = ',';
      }
      if (between == '{') out += '{';
      out += '}';
      return;
    }
  }
}

std::string go_json(const json::value& value) {
  std::string out;
  append_go_json(value, out);
  return out;
}

void as_go_numbers(json::value& value) {
  if (json::array* array = value.if_array()) {
    for (json::value& item : *array) as_go_numbers(item);
  } else if (json::object* object = value.if_object()) {
    for (auto& member : *object) as_go_numbers(member.value());
  } else if (value.is_number()) {
    const double number = value.to_number<double>();
    const bool whole = number == std::trunc(number) && std::fabs(number) <= kWhole;
    if (whole && !(number == 0 && std::signbit(number))) {
      value = static_cast<std::int64_t>(number);
    } else {
      value = number;
    }
  }
}

}  // namespace waybill
