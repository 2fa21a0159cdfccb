#include "waybill/cli/text.h"

#include <gtest/gtest.h>

namespace waybill::cli {
namespace {

TEST(TextTest, ControlsAreMadeVisible) {
  EXPECT_EQ(made_visible("plain ü 日本"), "plain ü 日本");
  EXPECT_EQ(made_visible("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(made_visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(made_visible("\x7f"), "\\x7f");
  EXPECT_EQ(made_visible("\xc2\x9b"), "\\u009b");              // CSI as one character
  EXPECT_EQ(made_visible("\xe2\x80\xae"), "\\u202e");          // right-to-left override
  EXPECT_EQ(made_visible("\xff\xc3"), "\\xff\\xc3");           // no UTF-8
  EXPECT_EQ(made_visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(TextTest, JsonStaysTheSameValueForATerminal) {
  EXPECT_EQ(json_for_terminal("{\n \"a\": \"\xc2\x9bx\x7f\"}"), "{\n \"a\": \"\\u009bx\\u007f\"}");
}

TEST(TextTest, WideCharactersCountTwiceAndCombiningOnesNot) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("日本語"), 6);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);
  EXPECT_EQ(display_width("größe"), 5);
}

TEST(TextTest, TextIsCutAtCharactersWithinTheColumns) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to("日本語", 6), "日本語");
  EXPECT_EQ(cut_to("日本語", 5), "日本…");
  EXPECT_EQ(cut_to("日本語", 4), "日…");  // two and a half do not fit
  EXPECT_EQ(cut_to("abc", 1), "…");
  EXPECT_EQ(cut_to("abc", 0), "");
}

struct FilterCase {
  const char* what;
  std::string in;
  std::string out;
};

TEST(LogFilterTest, ColoursPassAndNothingElse) {
  const FilterCase cases[] = {
      {"text", "a\tb\r\nc", "a\tb\r\nc"},
      {"colour", "\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"},
      {"clear screen", "a\x1b[2Jb", "ab"},
      {"cursor", "a\x1b[10;20Hb", "ab"},
      {"title", "a\x1b]0;evil\ab", "ab"},
      {"title ended by ST", "a\x1b]0;evil\x1b\\b", "ab"},
      {"title that never ends", "a\x1b]0;evil\nnext", "a\nnext"},
      {"device control", "a\x1bPq#0\x1b\\b", "ab"},
      {"private mode", "a\x1b[?1049hb", "ab"},
      {"SGR that is none", "a\x1b[>4mb", "ab"},
      {"character set", "a\x1b(0b", "ab"},
      {"C1 in UTF-8",
       "a\xc2\x9b"
       "2Jb",
       "a2Jb"},
      {"bell and backspace", "a\a\bb", "ab"},
      {"UTF-8", "日本 ü", "日本 ü"},
      {"no UTF-8",
       "a\xff\x9b"
       "b",
       "ab"},
      {"direction",
       "a\xe2\x80\xae"
       "b",
       "ab"},
  };
  for (const FilterCase& filter_case : cases) {
    EXPECT_EQ(LogFilter().pass(filter_case.in), filter_case.out) << filter_case.what;
    LogFilter byte_by_byte;
    std::string out;
    for (const char byte : filter_case.in) out += byte_by_byte.pass(std::string_view(&byte, 1));
    EXPECT_EQ(out, filter_case.out) << filter_case.what << ", byte by byte";
  }
}

TEST(LogFilterTest, KnowsWhetherAColourIsStillOn) {
  LogFilter filter;
  EXPECT_FALSE(filter.coloured());
  static_cast<void>(filter.pass("\x1b[31mred"));
  EXPECT_TRUE(filter.coloured());
  static_cast<void>(filter.pass("\x1b[m"));
  EXPECT_FALSE(filter.coloured());
}

}  // namespace
}  // namespace waybill::cli
