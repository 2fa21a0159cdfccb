#include "waybill/template/quoting.h"

#include <gtest/gtest.h>

namespace waybill::gotemplate {
namespace {

using Problem = CharLiteral::Problem;

TEST(Quoting, EscapesWhatDoesNotPrint) {
  EXPECT_EQ(quoted("a\"b\\c\n\x01\x7F"), R"("a\"b\\c\n\x01\x7f")");
  EXPECT_EQ(quoted("é\u200B\xFF"), "\"é\\u200b\\xff\"");
  std::string ascii;
  append_quoted(ascii, "é🚀", QuoteStyle::kAscii);
  EXPECT_EQ(ascii, R"("\u00e9\U0001f680")");
}

TEST(Quoting, ReadsGoLiterals) {
  EXPECT_EQ(unquoted(R"("a\tb\x41\101\u00e9")"), "a\tbAA\u00e9");
  EXPECT_EQ(unquoted("`a\\n\r\nb`"), "a\\n\nb");  // raw: no escapes, no carriage returns
  EXPECT_EQ(unquoted("\"\\xff\""), "\xFF");
  EXPECT_EQ(unquoted("\"\xFF\""), "\uFFFD");
  for (const std::string_view wrong :
       {R"("\q")", R"("\'")", R"("\8")", R"("\400")", R"("\ud800")", "\"a\nb\"", "\"a"}) {
    EXPECT_EQ(unquoted(wrong), std::nullopt) << wrong;
  }
}

TEST(Quoting, ReadsCharacters) {
  EXPECT_EQ(unquoted_char("'a'").rune, Rune{'a'});
  EXPECT_EQ(unquoted_char(R"('\'')").rune, Rune{'\''});
  EXPECT_EQ(unquoted_char(R"('\x41')").rune, Rune{'A'});
  EXPECT_EQ(unquoted_char(R"('\"')").problem, Problem::kSyntax);
  EXPECT_EQ(unquoted_char("''").problem, Problem::kSyntax);
  EXPECT_EQ(unquoted_char("'ab'").problem, Problem::kMalformed);
}

TEST(Quoting, KnowsWhatFitsBetweenBackQuotes) {
  EXPECT_TRUE(can_backquote("a\tb\"é"));
  for (const std::string_view text : {"`", "\n", "\x7F", "\xFF", "\uFEFF"})
    EXPECT_FALSE(can_backquote(text)) << text;
}

}  // namespace
}  // namespace waybill::gotemplate
