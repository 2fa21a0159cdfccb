#include "waybill/template/quoting.h"

#include <algorithm>
#include <cstdint>

#include "waybill/base/hex.h"

namespace waybill::gotemplate {
namespace {

void append_escaped(std::string& out, Rune rune, char quote, QuoteStyle style) {
  if (rune == static_cast<Rune>(quote) || rune == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(rune));
    return;
  }
  if (is_print(rune) && (style == QuoteStyle::kUnicode || rune < 0x80)) return append_rune(out, rune);
  constexpr std::string_view kLetters = "abtnvfr";  // for 7 to 13
  if (rune >= 7 && rune <= 13) {
    out.push_back('\\');
    out.push_back(kLetters[rune - 7]);
  } else if (rune < ' ' || rune == 0x7F) {
    out += "\\x";
    append_hex(out, rune, 2);
  } else if (rune < 0x10000) {
    out += "\\u";
    append_hex(out, rune, 4);
  } else {
    out += "\\U";
    append_hex(out, rune, 8);
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One character of a literal, escapes decoded. `byte`: a value to be written as it is, not as UTF-8. Broken
// UTF-8 outside escapes becomes U+FFFD.
struct Character {
  Rune value = 0;
  bool byte = false;
};

// Takes `digits` digits of a base off the front of text.
std::optional<Rune> take_digits(std::string_view& text, std::size_t digits, int base) {
  if (text.size() < digits) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text.substr(0, digits)) {
    const int digit = hex_value(c);
    if (digit < 0 || digit >= base) return std::nullopt;
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
  }
  text.remove_prefix(digits);
  if (value > 0xFFFFFFFFU) return std::nullopt;
  return static_cast<Rune>(value);
}

std::optional<Character> take_escape(std::string_view& text, char quote) {
  if (text.size() < 2) return std::nullopt;
  const char letter = text[1];
  text.remove_prefix(2);
  constexpr std::string_view kLetters = "abtnvfr";
  if (const auto at = kLetters.find(letter); at != std::string_view::npos) {
    return Character{static_cast<Rune>(at + 7), true};
  }
  if (letter == '\\' || letter == quote) return Character{static_cast<Rune>(letter), true};
  if (letter == 'x') {
    const auto value = take_digits(text, 2, 16);
    return value ? std::optional(Character{*value, true}) : std::nullopt;
  }
  if (letter == 'u' || letter == 'U') {
    const auto value = take_digits(text, letter == 'u' ? 4 : 8, 16);
    return value && is_valid_rune(*value) ? std::optional(Character{*value, false}) : std::nullopt;
  }
  if (letter < '0' || letter > '7') return std::nullopt;
  const auto rest = take_digits(text, 2, 8);
  if (!rest) return std::nullopt;
  const Rune value = (static_cast<Rune>(letter - '0') << 6) | *rest;
  return value <= 255 ? std::optional(Character{value, true}) : std::nullopt;
}

std::optional<Character> take_character(std::string_view& text, char quote) {
  if (text.empty() || text[0] == quote) return std::nullopt;
  if (text[0] == '\\') return take_escape(text, quote);
  const Decoded decoded = decode_rune(text);
  text.remove_prefix(decoded.width);
  return Character{decoded.rune, false};
}

std::string raw_text(std::string_view inside) {
  std::string text(inside);
  std::erase(text, '\r');
  return text;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text, QuoteStyle style) {
  out.push_back('"');
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    if (decoded.broken()) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else {
      append_escaped(out, decoded.rune, '"', style);
    }
    text.remove_prefix(decoded.width);
  }
  out.push_back('"');
}

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

void append_quoted_rune(std::string& out, Rune rune, QuoteStyle style) {
  out.push_back('\'');
  append_escaped(out, is_valid_rune(rune) ? rune : kRuneError, '\'', style);
  out.push_back('\'');
}

bool can_backquote(std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    text.remove_prefix(decoded.width);
    if (decoded.broken() || decoded.rune == 0xFEFF || decoded.rune == '`' || decoded.rune == 0x7F)
      return false;
    if (decoded.rune < ' ' && decoded.rune != '\t') return false;
  }
  return true;
}

std::optional<std::string> unquoted(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
  const char quote = literal.front();
  std::string_view inside = literal.substr(1, literal.size() - 2);
  if (quote == '`') return raw_text(inside);
  std::string text;
  while (!inside.empty()) {
    if (inside[0] == '\n') return std::nullopt;
    const auto character = take_character(inside, quote);
    if (!character) return std::nullopt;
    if (character->byte) {
      text.push_back(static_cast<char>(character->value));
    } else {
      append_rune(text, character->value);
    }
  }
  return text;
}

CharLiteral unquoted_char(std::string_view literal) {
  using Problem = CharLiteral::Problem;
  std::string_view text = literal.substr(1);
  const auto character = take_character(text, '\'');
  if (!character) return {Problem::kSyntax};
  if (text != "'") return {Problem::kMalformed};
  return {Problem::kNone, character->value};
}

}  // namespace waybill::gotemplate
