#include "waybill/storage/like_pattern.h"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using Kind = LikePattern::Kind;

TEST(LikePatternTest, IsSortedByWhatAnIndexCanDo) {
  struct Case {
    const char* pattern;
    Kind kind;
    const char* low;
    const char* high;
    bool whole;
  };
  const Case cases[] = {
      {"", Kind::kExact, "", "", false},          {"abc", Kind::kExact, "abc", "", false},
      {"a\\%b", Kind::kExact, "a%b", "", false},  {"a\\\\", Kind::kExact, "a\\", "", false},
      {"a\\", Kind::kExact, "a\\", "", false},    {"a\\b", Kind::kExact, "ab", "", false},
      {"%", Kind::kAny, "", "", false},           {"%%", Kind::kAny, "", "", false},
      {"_", Kind::kGeneral, "", "", false},       {"%a", Kind::kGeneral, "", "", false},
      {"ab%", Kind::kPrefix, "ab", "ac", true},   {"ab%%", Kind::kPrefix, "ab", "ac", true},
      {"ab_", Kind::kPrefix, "ab", "ac", false},  {"ab%c", Kind::kPrefix, "ab", "ac", false},
      {"a\\_%", Kind::kPrefix, "a_", "a`", true}, {"\U0010FFFF%", Kind::kGeneral, "\U0010FFFF", "", true},
  };
  for (const Case& c : cases) {
    const LikePattern like = parse_like(c.pattern);
    EXPECT_EQ(like.kind, c.kind) << c.pattern;
    EXPECT_EQ(like.low, c.low) << c.pattern;
    EXPECT_EQ(like.high, c.high) << c.pattern;
    EXPECT_EQ(like.whole, c.whole) << c.pattern;
  }
}

TEST(LikePatternTest, AfterAPrefixIsTheNextTextOfUtf8) {
  EXPECT_EQ(after_prefix("a\x7f"), "a\xc2\x80");    // U+007F, U+0080
  EXPECT_EQ(after_prefix("\u00e9"), "\u00ea");      // two bytes
  EXPECT_EQ(after_prefix("\u07ff"), "\u0800");      // two to three bytes
  EXPECT_EQ(after_prefix("\ud7ff"), "\ue000");      // over the surrogates
  EXPECT_EQ(after_prefix("\uffff"), "\U00010000");  // three to four bytes
  EXPECT_EQ(after_prefix("a\U0010FFFF"), "b");      // the last character has no next
  EXPECT_EQ(after_prefix("\U0010FFFF\U0010FFFF"), "");
}

TEST(LikePatternTest, APatternNeverEndsInALoneEscape) {
  EXPECT_EQ(parse_like("%\\").pattern, "%\\\\");
  EXPECT_EQ(parse_like("%\\\\").pattern, "%\\\\");
}

}  // namespace
}  // namespace waybill::storage
