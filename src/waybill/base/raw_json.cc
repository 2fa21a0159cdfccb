#include "waybill/base/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

namespace waybill {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view stripped(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Where the string that begins at `at` ends: behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The pieces between the outermost commas of an array or object.
std::vector<std::string_view> pieces(std::string_view container) {
  const std::string_view inside = stripped(container.substr(1, container.size() - 2));
  std::vector<std::string_view> found;
  if (inside.empty()) return found;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t at = 0; at < inside.size();) {
    const char c = inside[at];
    if (c == '"') {
      at = end_of_string(inside, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      found.push_back(stripped(inside.substr(start, at - start)));
      start = at + 1;
    }
    ++at;
  }
  found.push_back(stripped(inside.substr(start)));
  return found;
}

std::string decoded(std::string_view quoted) {
  boost::json::error_code problem;
  const boost::json::value value = boost::json::parse(quoted, problem);
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

// Whether YAML reads the word as the string that it is.
bool is_plain_yaml(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMeanings = {"true", "false", "null", "yes", "no",  "on",
                                                                 "off",  "y",     "n",    "nan", "inf", "~"};
  if (text.empty() || text.size() > 120) return false;
  const char first = text.front();
  const bool letter =
      (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' || first == '/';
  if (!letter || text.back() == ' ' || text.back() == ':') return false;
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (std::find(kMeanings.begin(), kMeanings.end(), lowered) != kMeanings.end()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word || c == '_' || c == '-' || c == '.' || c == '/' || c == ' ' || c == '+') continue;
    if (c == ':' && text[i + 1] != ' ') continue;  // the last character is none
    return false;
  }
  return true;
}

// The bytes at `at` of a character that YAML takes for a line break or refuses although JSON allows it: DEL,
// C1, the line and paragraph separators, the byte order mark, U+FFFE and U+FFFF. 0: any other.
std::size_t unprintable(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.front() == '\x7f') return 1;
  if (rest.size() >= 2 && rest[0] == '\xc2' && static_cast<unsigned char>(rest[1]) < 0xa0) return 2;
  for (const std::string_view whole : {"\u2028", "\u2029", "\ufeff", "\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    if (rest == whole) return 3;
  }
  return 0;
}

unsigned code_point(std::string_view bytes) {
  unsigned code = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 2) code &= 0x1fU;
  if (bytes.size() == 3) code &= 0x0fU;
  for (const char byte : bytes.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
}

std::string yaml_string(const std::string& text) {
  if (is_plain_yaml(text)) return text;
  const std::string quoted = boost::json::serialize(boost::json::string_view(text));
  std::string out;
  for (std::size_t at = 0; at < quoted.size();) {
    const std::size_t size = unprintable(quoted, at);
    if (size == 0) {
      out += quoted[at++];
      continue;
    }
    out += fmt::format("\\u{:04x}", code_point(std::string_view(quoted).substr(at, size)));
    at += size;
  }
  return out;
}

void write_yaml(std::string_view json, int indent, std::string& out);

// A value behind "key:" or "-".
void write_yaml_value(std::string_view value, int indent, bool in_list, std::string& out) {
  const bool is_map = value.starts_with('{') && !raw_members(value).empty();
  const bool is_list = value.starts_with('[') && !raw_elements(value).empty();
  if (!is_map && !is_list) {
    out += ' ';
    write_yaml(value, 0, out);
  } else if (in_list) {
    std::string nested;
    write_yaml(value, indent + 2, nested);
    out += ' ' + nested.substr(static_cast<std::size_t>(indent) + 2);
  } else {
    out += '\n';
    write_yaml(value, is_list ? indent : indent + 2, out);
  }
}

void write_yaml(std::string_view json, int indent, std::string& out) {
  const std::string_view value = stripped(json);
  const std::string space(static_cast<std::size_t>(indent), ' ');
  const std::vector<RawMember> members = raw_members(value);
  const std::vector<std::string_view> elements = raw_elements(value);
  for (const RawMember& member : members) {
    out += space + yaml_string(member.key) + ":";
    write_yaml_value(member.value, indent, false, out);
  }
  for (const std::string_view element : elements) {
    out += space + "-";
    write_yaml_value(element, indent, true, out);
  }
  if (!members.empty() || !elements.empty()) return;
  if (value.starts_with('"')) {
    out += yaml_string(decoded(value));
  } else if (value.starts_with('{')) {
    out += "{}";
  } else if (value.starts_with('[')) {
    out += "[]";
  } else {
    out += value;
  }
  out += '\n';
}

}  // namespace

std::vector<RawMember> raw_members(std::string_view object) {
  object = stripped(object);
  std::vector<RawMember> members;
  if (!object.starts_with('{')) return members;
  for (const std::string_view piece : pieces(object)) {
    const std::size_t key_end = end_of_string(piece, 0);
    const std::size_t colon = piece.find(':', key_end);
    if (colon == std::string_view::npos) continue;
    members.push_back({decoded(piece.substr(0, key_end)), stripped(piece.substr(colon + 1))});
  }
  return members;
}

std::vector<std::string_view> raw_elements(std::string_view array) {
  array = stripped(array);
  if (!array.starts_with('[')) return {};
  return pieces(array);
}

std::string_view raw_member(std::string_view object, std::string_view name) {
  std::string_view found;
  for (const RawMember& member : raw_members(object)) {
    if (member.key == name) found = member.value;
  }
  return found;
}

std::string on_one_line(std::string_view json) {
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const std::size_t end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    if (kSpaces.find(json[at]) == std::string_view::npos) out += json[at];
    ++at;
  }
  return out;
}

std::string yaml_text(std::string_view json) {
  std::string out;
  write_yaml(json, 0, out);
  return out;
}

}  // namespace waybill
