#include "waybill/config/yaml_position.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace waybill::config {
namespace {

// The first byte of the scalar itself: its node may begin with a tag or an anchor.
std::size_t after_properties(std::string_view source, std::size_t at) {
  while (at < source.size() && (source[at] == '!' || source[at] == '&')) {
    at = std::min(source.find_first_of(" \t\r\n", at), source.size());
    at = std::min(source.find_first_not_of(" \t\r\n", at), source.size());
  }
  return at;
}

std::size_t utf8_length(std::uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

// Bytes of the source, and of the value, of what stands at a place.
struct Step {
  std::size_t source = 1;
  std::size_t value = 1;
};

// An escape of a double-quoted scalar; `text` begins with the backslash.
Step escape(std::string_view text) {
  if (text.size() < 2) return {};
  const char kind = text[1];
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits > 0) {
    std::uint32_t code = 0;
    (void)absl::SimpleHexAtoi(std::string(text.substr(2, digits)), &code);
    return {2 + digits, utf8_length(code)};
  }
  if (kind == 'N' || kind == '_') return {2, 2};
  if (kind == 'L' || kind == 'P') return {2, 3};
  return {2, 1};
}

// The place of the value's byte `offset` on the line that the scalar begins in; nullopt: not on it.
std::optional<std::size_t> on_one_line(std::string_view source, std::size_t start, std::size_t offset) {
  const char quote = source[start];
  const bool is_quoted = quote == '"' || quote == '\'';
  std::size_t at = start + (is_quoted ? 1 : 0);
  std::size_t passed = 0;
  while (passed < offset) {
    if (at >= source.size() || source[at] == '\n') return std::nullopt;
    if (quote == '"' && source.substr(at).starts_with("\\\n")) return std::nullopt;
    Step step;
    if (quote == '"' && source[at] == '\\') step = escape(source.substr(at));
    if (quote == '\'' && source.substr(at).starts_with("''")) step = {2, 1};
    at += step.source;
    passed += step.value;
  }
  return at;
}

// A literal block without indentation indicator: line for line, all indented as the first one with text.
std::optional<std::pair<int, int>> in_block(std::string_view source, std::size_t start,
                                            const YamlNode& scalar, std::size_t offset) {
  const std::size_t header_end = source.find('\n', start);
  if (header_end == std::string_view::npos) return std::nullopt;
  if (source.substr(start, header_end - start).find_first_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t text = source.find_first_not_of(" \r\n", header_end);
  if (text == std::string_view::npos) return std::nullopt;
  const std::size_t indent = text - (source.rfind('\n', text) + 1);

  const std::string_view before = std::string_view(scalar.text).substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  const auto header_lines = std::count(source.begin() + static_cast<std::ptrdiff_t>(scalar.offset),
                                       source.begin() + static_cast<std::ptrdiff_t>(header_end), '\n');
  return std::pair{scalar.line + static_cast<int>(header_lines + 1 + lines),
                   static_cast<int>(indent + column + 1)};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// What stands at a place of a scalar over several lines, in bytes of the value that are no blanks.
Step visible_step(std::string_view text, char quote) {
  if (quote == '\'' && text.starts_with("''")) return {2, 1};
  if (quote == '"' && text.front() == '\\') {
    Step step = escape(text);
    if (text.size() > 1 && std::string_view("ntr \t\r\n").find(text[1]) != std::string_view::npos)
      step.value = 0;
    return step;
  }
  return {1, is_blank(text.front()) ? std::size_t{0} : std::size_t{1}};
}

// A scalar that YAML folds: blanks differ between the file and the value, everything else stands there in the
// same order.
std::optional<std::pair<int, int>> in_folded(std::string_view source, std::size_t start, char opening,
                                             const YamlNode& scalar, std::size_t offset) {
  std::size_t at = start;
  if (opening == '>' || opening == '|') {
    at = source.find('\n', start);
  } else if (opening == '"' || opening == '\'') {
    ++at;
  }
  const std::string_view value = std::string_view(scalar.text).substr(0, offset);
  auto left = static_cast<std::size_t>(
      std::count_if(value.begin(), value.end(), [](char c) { return !is_blank(c); }));
  while (at < source.size()) {
    const Step step = visible_step(source.substr(at), opening);
    if (left < std::max<std::size_t>(step.value, 1) && step.value > 0) break;
    at += step.source;
    left -= std::min(left, step.value);
  }
  if (at >= source.size()) return std::nullopt;
  const std::string_view before = source.substr(scalar.offset, at - scalar.offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  if (lines == 0) return std::pair{scalar.line, scalar.col + static_cast<int>(before.size())};
  return std::pair{scalar.line + static_cast<int>(lines),
                   static_cast<int>(before.size() - before.rfind('\n'))};
}

}  // namespace

std::pair<int, int> place_in_scalar(std::string_view source, const YamlNode& scalar, std::size_t offset) {
  const std::pair<int, int> own{scalar.line, scalar.col};
  const std::size_t start = after_properties(source, scalar.offset);
  if (start >= source.size()) return own;
  const char opening = scalar.tag == "?" ? '\0' : source[start];
  if (opening == '|') {
    const auto place = in_block(source, start, scalar, offset);
    if (place) return *place;
  } else if (opening != '>') {
    const std::string_view skipped = source.substr(scalar.offset, start - scalar.offset);
    const std::optional<std::size_t> at = on_one_line(source, start, offset);
    if (at && skipped.find('\n') == std::string_view::npos) {
      return {scalar.line, scalar.col + static_cast<int>(*at - scalar.offset)};
    }
  }
  return in_folded(source, start, opening, scalar, offset).value_or(own);
}

bool is_closed_scalar(std::string_view source, const YamlNode& scalar) {
  const std::size_t start = after_properties(source, scalar.offset);
  if (start >= source.size() || scalar.tag == "?") return true;
  const char quote = source[start];
  if (quote != '"' && quote != '\'') return true;
  std::size_t at = start + 1;
  while (at < source.size()) {
    if (quote == '"' && source[at] == '\\') {
      at += 2;
    } else if (quote == '\'' && source.substr(at).starts_with("''")) {
      at += 2;
    } else if (source[at] == quote) {
      return true;
    } else {
      ++at;
    }
  }
  return false;
}

}  // namespace waybill::config
