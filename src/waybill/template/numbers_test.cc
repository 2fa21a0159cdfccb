#include "waybill/template/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace waybill::gotemplate {
namespace {

TEST(Numbers, ReadsGoIntegers) {
  const struct {
    std::string_view text;
    std::optional<std::int64_t> value;
  } cases[] = {
      {"0", 0},
      {"010", 8},
      {"0x1F", 31},
      {"0o17", 15},
      {"0b101", 5},
      {"-3", -3},
      {"+3", 3},
      {"1_000", 1000},
      {"0x_1f", 31},
      {"-0", 0},
      {"08", {}},
      {"_1", {}},
      {"1__0", {}},
      {"1_", {}},
      {"", {}},
      {"0x", {}},
      {"1e3", {}},
      {"a", {}},
      {"--1", {}},
      {"9223372036854775807", INT64_MAX},
      {"9223372036854775808", {}},
      {"-9223372036854775808", INT64_MIN},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_signed(c.text), c.value) << c.text;
}

TEST(Numbers, ReadsGoFloats) {
  EXPECT_EQ(parse_float("1e3"), 1000.0);
  EXPECT_EQ(parse_float("-.5"), -0.5);
  EXPECT_EQ(parse_float("3."), 3.0);
  EXPECT_EQ(parse_float("0x1p4"), 16.0);
  EXPECT_EQ(parse_float("1_0.5"), 10.5);
  EXPECT_EQ(parse_float("1e-400"), 0.0);
  for (const std::string_view wrong : {"1e400", "e3", ".", "", "1e", "0x1", "1_.5", "nan", "inf", "1.2.3"}) {
    EXPECT_EQ(parse_float(wrong), std::nullopt) << wrong;
  }
}

TEST(Numbers, ALiteralIsAllTheTypesThatHoldIt) {
  const Number thousand = *parse_number("1e3").number;
  EXPECT_EQ(thousand.integer, 1000);
  EXPECT_TRUE(thousand.written_as_real);
  EXPECT_FALSE(parse_number("0x1e3").number->written_as_real);
  EXPECT_TRUE(parse_number("2i").number->complex);
  EXPECT_FALSE(parse_number("18446744073709551615").number->integer.has_value());
  EXPECT_TRUE(parse_number("18446744073709551616").overflow);
  EXPECT_TRUE(parse_number("08").overflow);
  EXPECT_FALSE(parse_number("0b2").number.has_value());
}

TEST(Numbers, WritesFloatsAsGo) {
  const struct {
    double value;
    char verb;
    int precision;
    std::string_view text;
  } cases[] = {
      {1e6, 'g', -1, "1e+06"},
      {123456, 'g', -1, "123456"},
      {1e-5, 'g', -1, "1e-05"},
      {0.0001, 'g', -1, "0.0001"},
      {1.7e9, 'g', -1, "1.7e+09"},
      {0.1, 'g', -1, "0.1"},
      {-0.0, 'g', -1, "-0"},
      {100000, 'g', 3, "1e+05"},
      {1234.5678, 'g', 6, "1234.57"},
      {0.5, 'f', 0, "0"},
      {1.5, 'f', 0, "2"},
      {2.5, 'f', 0, "2"},
      {1e21, 'f', -1, "1000000000000000000000"},
      {1.25, 'e', 1, "1.2e+00"},
      {123.456, 'E', 2, "1.23E+02"},
      {1, 'b', -1, "4503599627370496p-52"},
      {1, 'x', -1, "0x1p+00"},
      {-3.5, 'x', -1, "-0x1.cp+01"},
      {1.9999, 'x', 0, "0x1p+01"},
      {0, 'x', 2, "0x0.00p+00"},
      {1e-320, 'g', -1, "1e-320"},
      {5e-324, 'x', -1, "0x1p-1074"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(format_float(c.value, c.verb, c.precision), c.text) << c.value << c.verb;
  EXPECT_EQ(format_float(std::numeric_limits<double>::infinity(), 'g', -1), "+Inf");
  EXPECT_EQ(format_float(std::nan(""), 'f', 2), "NaN");
  EXPECT_EQ(format_float(1.0, 'f', 2000), "1." + std::string(2000, '0'));
}

TEST(Numbers, TruncatesAsGoOnAmd64) {
  EXPECT_EQ(truncated(-1.9), -1);
  EXPECT_EQ(truncated(1e19), INT64_MIN);
  EXPECT_EQ(truncated(std::nan("")), INT64_MIN);
}

}  // namespace
}  // namespace waybill::gotemplate
