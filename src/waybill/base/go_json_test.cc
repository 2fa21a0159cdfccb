#include "waybill/base/go_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "waybill/base/json.h"

namespace waybill {
namespace {

// What Go 1.26's json.Marshal(float64) prints after strconv.ParseFloat of the text.
struct NumberCase {
  std::string text;
  std::string go;
};

TEST(GoJson, PrintsNumbersAsGoDoes) {
  const NumberCase cases[] = {
      {"0", "0"},
      {"1", "1"},
      {"-1", "-1"},
      {"0.5", "0.5"},
      {"-0", "-0"},
      {"-0.0", "-0"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"-1e21", "-1e+21"},
      {"123456789012345678901", "123456789012345680000"},
      {"1e-6", "0.000001"},
      {"1e-7", "1e-7"},
      {"0.000001", "0.000001"},
      {"0.00000123", "0.00000123"},
      {"1e-10", "1e-10"},
      {"5e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"9007199254740993", "9007199254740992"},
      {"18446744073709551615", "18446744073709552000"},
      {"0.1", "0.1"},
      {"2.5", "2.5"},
      {"100", "100"},
      {"1e100", "1e+100"},
      {"3.14159", "3.14159"},
      {"1033.1860000000001", "1033.1860000000001"},
      {"12345678901234567890123", "1.2345678901234568e+22"},
      {"1e22", "1e+22"},
      {"-1.5e-9", "-1.5e-9"},
      {"999999999999999999999", "1e+21"},
  };
  for (const NumberCase& c : cases) {
    const auto value = parse_json(c.text);
    ASSERT_TRUE(value.ok()) << c.text;
    EXPECT_EQ(go_json(*value), c.go) << c.text;
  }
}

TEST(GoJson, KeepsStructureAndOrderOfMembers) {
  const std::string text = R"({"b":[1,"x",null,true,{}],"a":{"c":[]}})";
  const auto value = parse_json(text);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(go_json(*value), text);
}

TEST(GoJson, EscapesWhatJsonMustEscapeAndNothingElse) {
  std::string out;
  append_json_string("a\"\\\n\r\t\x01<&>ü☃", out);
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\r\\t\\u0001<&>ü☃\"");
}

TEST(GoJson, NumbersThatAreOneFloatBecomeOneText) {
  for (const char* text : {"[1, 1.0, 10e-1]", "[9007199254740993, 9007199254740992.0]"}) {
    auto value = parse_json(text);
    ASSERT_TRUE(value.ok());
    as_go_numbers(*value);
    for (const auto& item : value->as_array()) EXPECT_EQ(item, value->as_array()[0]) << text;
  }
}

TEST(Json, ReadsEveryDoubleExactly) {
  for (const char* text :
       {"1033.1860000000001", "95899.13399999999", "123456789.123456789", "15220.711000000001"}) {
    const auto value = parse_json(text);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(value->to_number<double>(), std::stod(text)) << text;
  }
}

TEST(Json, NumbersBeyondADoubleAreRefused) {
  EXPECT_FALSE(parse_json("1e400").ok());
  EXPECT_FALSE(parse_json("[1e999999999]").ok());
  ASSERT_TRUE(parse_json("1e-400").ok());
  EXPECT_EQ(parse_json("1e-400")->to_number<double>(), 0);
}

}  // namespace
}  // namespace waybill
