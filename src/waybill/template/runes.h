#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// UTF-8 and the Unicode properties of Go's unicode package, so that both languages agree on letters and case.
namespace waybill::gotemplate {

using Rune = char32_t;

constexpr Rune kRuneError = 0xFFFD;
constexpr Rune kMaxRune = 0x10FFFF;

struct Decoded {
  Rune rune = kRuneError;
  std::size_t width = 0;  // bytes; 0 only at the end of the text

  [[nodiscard]] bool broken() const { return rune == kRuneError && width == 1; }
};

// The first rune of text. A byte that begins no valid sequence is kRuneError of width 1.
[[nodiscard]] Decoded decode_rune(std::string_view text);
// The last rune of text, by the same rules.
[[nodiscard]] Decoded decode_last_rune(std::string_view text);

[[nodiscard]] std::size_t count_runes(std::string_view text);

// Appends the UTF-8 of a rune; that of kRuneError for surrogates and what is above kMaxRune.
void append_rune(std::string& out, Rune rune);

[[nodiscard]] inline bool is_valid_rune(Rune rune) {
  return rune < 0xD800 || (rune > 0xDFFF && rune <= kMaxRune);
}

[[nodiscard]] bool is_letter_or_digit(Rune rune);  // categories L and Nd
[[nodiscard]] bool is_print(Rune rune);  // letters, marks, numbers, punctuation, symbols, ASCII space
[[nodiscard]] bool is_space(Rune rune);  // White_Space

// Simple case mapping: one rune to one rune.
[[nodiscard]] Rune to_upper(Rune rune);
[[nodiscard]] Rune to_lower(Rune rune);
[[nodiscard]] Rune to_title(Rune rune);

}  // namespace waybill::gotemplate
