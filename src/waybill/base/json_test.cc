#include "waybill/base/json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "waybill/base/status.h"

namespace waybill {
namespace {

TEST(ParseJson, SaysWhereAndWhyATextIsMalformed) {
  const struct {
    std::string text;
    std::string place;
  } cases[] = {
      {"{\"a\": 1,\n \"b\": x}", "line 2, column 7"},
      {"{\"name\": ", "ends too early"},
      {"{} trailing", "more after its end"},
      {"", "ends too early"},
      {std::string(40, '[') + std::string(40, ']'), "nested too deeply"},
      {"{\"a\":\"b\\u0000\"}", "U+0000"},
      {"{\"a\\u0000\":1}", "U+0000"},
      {"\"\xff\"", "malformed"},
      {"\"\xed\xa0\x80\"", "malformed"},  // a surrogate
  };
  for (const auto& [text, place] : cases) {
    const auto value = parse_json(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_NE(message(value.status()).find(place), std::string::npos) << text << ": " << value.status();
    EXPECT_EQ(error_word(value.status()), "malformed_json");
  }
}

TEST(ParseJson, TheLastOfDoubledMembersWins) {
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})")->at("a").as_int64(), 2);
}

TEST(CanonicalJson, SortsMembersAtEveryLevelAndNothingElse) {
  const auto value = parse_json(R"({"b": [2, 1, {"z": null, "y": true}], "a": "ü\""})");
  EXPECT_EQ(canonical_json(*value), R"({"a":"ü\"","b":[2,1,{"y":true,"z":null}]})");
}

TEST(FindMember, PrefersTheExactNameAndTakesAnyCase) {
  const auto value = parse_json(R"({"NAME": 1, "name": 2, "Version": 3, "VERSION": 4})");
  EXPECT_EQ(find_member(value->as_object(), "name")->as_int64(), 2);
  EXPECT_EQ(find_member(value->as_object(), "version")->as_int64(), 4);
  EXPECT_EQ(find_member(value->as_object(), "tags"), nullptr);
}

TEST(IsCleanUtf8, RefusesBrokenOverlongSurrogateAndNul) {
  EXPECT_TRUE(is_clean_utf8("größer ☃ \xf0\x9f\x98\x80"));
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\x80"), std::string("\xc0\x80"), std::string("\xe0\x80\x80"),
        std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"), std::string("\xf0\x80\x80\x80"),
        std::string("\xe2\x98"), std::string("\xff")}) {
    EXPECT_FALSE(is_clean_utf8(text)) << sha256_hex(text);
  }
}

TEST(Sha256Hex, MatchesFips180) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// Test case 2 of RFC 4231.
TEST(Hmac, IsThatOfTheStandard) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace waybill
