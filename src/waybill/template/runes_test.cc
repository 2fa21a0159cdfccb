#include "waybill/template/runes.h"

#include <gtest/gtest.h>

namespace waybill::gotemplate {
namespace {

TEST(Runes, DecodesOneRuneAndTellsBrokenBytes) {
  const struct {
    std::string_view text;
    Rune rune;
    std::size_t width;
  } cases[] = {
      {"a", 'a', 1},
      {"é", 0xE9, 2},
      {"世", 0x4E16, 3},
      {"🚀", 0x1F680, 4},
      {"\xFF", kRuneError, 1},              // no lead byte
      {"\xC3", kRuneError, 1},              // cut off
      {"\xC0\x80", kRuneError, 1},          // longer than needed
      {"\xED\xA0\x80", kRuneError, 1},      // a surrogate
      {"\xF4\x90\x80\x80", kRuneError, 1},  // above U+10FFFF
      {"\uFFFD", kRuneError, 3},            // U+FFFD itself is not broken
      {"", kRuneError, 0},
  };
  for (const auto& c : cases) {
    const Decoded decoded = decode_rune(c.text);
    EXPECT_EQ(decoded.rune, c.rune) << c.text;
    EXPECT_EQ(decoded.width, c.width) << c.text;
  }
}

TEST(Runes, DecodesTheLastRune) {
  EXPECT_EQ(decode_last_rune("a世").rune, Rune{0x4E16});
  EXPECT_EQ(decode_last_rune("a世").width, 3U);
  EXPECT_TRUE(decode_last_rune("世\x80").broken());
  EXPECT_EQ(decode_last_rune("").width, 0U);
}

TEST(Runes, WritesWhatIsNoRuneAsReplacement) {
  std::string out;
  append_rune(out, 0xD800);
  append_rune(out, 0x110000);
  append_rune(out, 0x1F680);
  EXPECT_EQ(out, "\uFFFD\uFFFD🚀");
}

TEST(Runes, KnowsUnicodeAsGoDoes) {
  EXPECT_TRUE(is_letter_or_digit(0xE9));
  EXPECT_TRUE(is_letter_or_digit(0x0663));   // ARABIC-INDIC DIGIT THREE
  EXPECT_FALSE(is_letter_or_digit(0x00BD));  // ½ is a number but no digit
  EXPECT_FALSE(is_letter_or_digit('_'));
  EXPECT_TRUE(is_print(' '));
  EXPECT_FALSE(is_print(0xA0));    // only the ASCII space prints
  EXPECT_FALSE(is_print(0x200B));  // ZERO WIDTH SPACE
  EXPECT_TRUE(is_space(0x3000));
  EXPECT_FALSE(is_space(0x200B));
  EXPECT_EQ(to_upper(0xDF), Rune{0xDF});    // ß has no simple upper case
  EXPECT_EQ(to_upper(0x101), Rune{0x100});  // ā: its range takes turns
  EXPECT_EQ(to_lower(0x130), Rune{'i'});    // İ
  EXPECT_EQ(to_title(0x1C4), Rune{0x1C5});  // Ǆ becomes ǅ
}

}  // namespace
}  // namespace waybill::gotemplate
