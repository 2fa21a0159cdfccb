#include "waybill/template/lexer.h"

#include <gtest/gtest.h>

#include <vector>

namespace waybill::gotemplate {
namespace {

// All items up to the end or the first error, as kind and text.
std::string items(std::string_view text) {
  Lexer lexer(text);
  std::string all;
  for (;;) {
    const Item item = lexer.next();
    if (item.token == Token::kEof) return all;
    if (item.token == Token::kError) return all + "error: " + item.text;
    all += "[" + item.text + "]";
  }
}

TEST(Lexer, CutsTextAndActions) {
  EXPECT_EQ(items("a{{.b}}c"), "[a][{{][.b][}}][c]");
  EXPECT_EQ(items("{{printf \"%d\" 1 | len}}"), "[{{][printf][ ][\"%d\"][ ][1][ ][|][ ][len][}}]");
  EXPECT_EQ(items("{{$x := .a.b}}"), "[{{][$x][ ][:=][ ][.a][.b][}}]");
}

TEST(Lexer, TrimsOnlyWhereTheMarkerHasItsSpace) {
  EXPECT_EQ(items("a \n{{- 3 -}}\t b"), "[a][{{][3][}}][b]");
  EXPECT_EQ(items("a {{-3}} b"), "[a ][{{][-3][}}][ b]");
  EXPECT_EQ(items("a\u00A0{{- 1}}"), "[a\u00A0][{{][1][}}]");
}

TEST(Lexer, SkipsComments) {
  EXPECT_EQ(items("a{{/* x }} */}}b"), "[a][b]");
  EXPECT_EQ(items("a {{- /* x */ -}} b"), "[a][b]");
  EXPECT_EQ(items("{{/* x}}"), "error: unclosed comment");
  EXPECT_EQ(items("{{/* x */ }}"), "error: comment ends before closing delimiter");
}

TEST(Lexer, SaysWhatItCannotRead) {
  const struct {
    std::string_view text;
    std::string_view message;
  } cases[] = {
      {"{{", "unclosed action"},
      {"{{\"a", "unterminated quoted string"},
      {"{{'a\n'}}", "unterminated character constant"},
      {"{{`a", "unterminated raw quoted string"},
      {"{{(1}}", "unclosed left paren"},
      {"{{1)}}", "unexpected right paren"},
      {"{{a:b}}", "expected :="},
      {"{{.a+}}", "bad character U+002B '+'"},
      {"{{1x}}", "bad number syntax: \"1x\""},
      {"{{\x01}}", "unrecognized character in action: U+0001"},
  };
  for (const auto& c : cases) {
    const std::string all = items(c.text);
    EXPECT_TRUE(all.ends_with("error: " + std::string(c.message))) << all;
  }
}

TEST(Lexer, CountsLinesAndDescribesItems) {
  Lexer lexer("a\nb{{\nend \"a very long string\"}}");
  EXPECT_EQ(lexer.next().line, 1);
  EXPECT_EQ(lexer.next().line, 2);
  lexer.next();
  const Item end = lexer.next();
  EXPECT_EQ(end.line, 3);
  EXPECT_EQ(end.described(), "<end>");
  lexer.next();
  EXPECT_EQ(lexer.next().described(), "\"\\\"a very lo\"...");
}

}  // namespace
}  // namespace waybill::gotemplate
