#include "waybill/base/raw_json.h"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(RawJsonTest, PartsKeepTheirText) {
  const std::string text = R"( {"a" : 1.50 , "b\"x": [ 1e3, {"c": "],}" } , "\\" ], "a": 2} )";
  EXPECT_EQ(raw_member(text, "a"), "2");  // the last of doubled members
  const auto elements = raw_elements(raw_member(text, "b\"x"));
  ASSERT_EQ(elements.size(), 3U);
  EXPECT_EQ(elements[0], "1e3");
  EXPECT_EQ(elements[1], R"({"c": "],}" })");
  EXPECT_EQ(elements[2], R"("\\")");
  EXPECT_TRUE(raw_elements("[ ]").empty());
  EXPECT_TRUE(raw_members("[]").empty());
  EXPECT_EQ(raw_member(text, "none"), "");
}

TEST(RawJsonTest, OneLineLosesOnlySpacesBetweenTokens) {
  EXPECT_EQ(on_one_line("{\n  \"a b\" : [ 1.0,\t2 ]\r\n}"), R"({"a b":[1.0,2]})");
}

TEST(RawJsonTest, YamlKeepsNumbersAndQuotesWhatWouldMeanSomethingElse) {
  EXPECT_EQ(
      yaml_text(R"({"num": 1.50, "big": 12345678901234567890, "yes": "no", "v": "1.10", "t": "type:ping",
                          "empty": "", "colon": "a: b", "nul": null, "o": {}, "l": [], "s": "say \"x\"\n"})"),
      "num: 1.50\n"
      "big: 12345678901234567890\n"
      "\"yes\": \"no\"\n"
      "v: \"1.10\"\n"
      "t: type:ping\n"
      "empty: \"\"\n"
      "colon: \"a: b\"\n"
      "nul: null\n"
      "o: {}\n"
      "l: []\n"
      "s: \"say \\\"x\\\"\\n\"\n");
}

TEST(RawJsonTest, YamlEscapesWhatItWouldTakeForALineBreakOrRefuse) {
  EXPECT_EQ(yaml_text("[\"a\x7f\", \"\xc2\x85\", \"\xe2\x80\xa8\", \"\xef\xbb\xbf\", \"\xc3\xa4\"]"),
            "- \"a\\u007f\"\n- \"\\u0085\"\n- \"\\u2028\"\n- \"\\ufeff\"\n- \"\xc3\xa4\"\n");
}

TEST(RawJsonTest, YamlNestsListsAndMaps) {
  EXPECT_EQ(yaml_text(R"({"a":[{"b":1,"c":[2,[3]]},"x"],"d":{"e":{"f":true}}})"),
            "a:\n"
            "- b: 1\n"
            "  c:\n"
            "  - 2\n"
            "  - - 3\n"
            "- x\n"
            "d:\n"
            "  e:\n"
            "    f: true\n");
}

}  // namespace
}  // namespace waybill
