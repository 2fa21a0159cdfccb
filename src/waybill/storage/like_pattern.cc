#include "waybill/storage/like_pattern.h"

#include <algorithm>

namespace waybill::storage {
namespace {

// The character that ends `text`, taken off it. Text is well-formed UTF-8.
char32_t take_last(std::string& text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xc0U) == 0x80U) --start;
  const auto first = static_cast<unsigned char>(text[start]);
  char32_t character = first < 0x80    ? first
                       : first >= 0xf0 ? first & 0x07U
                       : first >= 0xe0 ? first & 0x0fU
                                       : first & 0x1fU;
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    character = (character << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  text.resize(start);
  return character;
}

void append(std::string& text, char32_t c) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0U | (c >> 6U));
    byte(0x80U | (c & 0x3fU));
  } else if (c < 0x10000) {
    byte(0xe0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3fU));
    byte(0x80U | (c & 0x3fU));
  } else {
    byte(0xf0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3fU));
    byte(0x80U | ((c >> 6U) & 0x3fU));
    byte(0x80U | (c & 0x3fU));
  }
}

}  // namespace

std::string after_prefix(std::string prefix) {
  while (!prefix.empty()) {
    const char32_t last = take_last(prefix);
    if (last >= 0x10ffff) continue;
    append(prefix, last == 0xd7ff ? 0xe000 : last + 1);  // no surrogates in UTF-8
    return prefix;
  }
  return {};
}

LikePattern parse_like(std::string_view pattern) {
  LikePattern out;
  out.pattern = pattern;
  std::size_t i = 0;
  for (; i < pattern.size() && pattern[i] != '%' && pattern[i] != '_'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out.low += pattern[i];
  }
  // PostgreSQL refuses a pattern that ends in a lone escape: it stands for itself.
  std::size_t escapes = 0;
  while (escapes < pattern.size() && pattern[pattern.size() - 1 - escapes] == '\\') ++escapes;
  if (escapes % 2 == 1) out.pattern += '\\';

  const std::string_view rest = pattern.substr(i);
  const bool only_percent = std::all_of(rest.begin(), rest.end(), [](char c) { return c == '%'; });
  if (rest.empty()) {
    out.kind = LikePattern::Kind::kExact;
  } else if (out.low.empty()) {
    out.kind = only_percent ? LikePattern::Kind::kAny : LikePattern::Kind::kGeneral;
  } else {
    out.high = after_prefix(out.low);
    out.kind = out.high.empty() ? LikePattern::Kind::kGeneral : LikePattern::Kind::kPrefix;
    out.whole = only_percent;
  }
  return out;
}

}  // namespace waybill::storage
