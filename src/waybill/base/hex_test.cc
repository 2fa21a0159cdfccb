#include "waybill/base/hex.h"

#include <gtest/gtest.h>

#include <array>

namespace waybill {
namespace {

TEST(Hex, HasTwoDigitsAByte) {
  EXPECT_EQ(hex_of({}), "");
  const std::array<unsigned char, 4> bytes = {0x00, 0x0f, 0xa0, 0xff};
  EXPECT_EQ(hex_of(bytes), "000fa0ff");
}

TEST(Hex, KeepsTheLastDigitsOfANumber) {
  std::string out = "\\u";
  append_hex(out, 0x2028, 4);
  EXPECT_EQ(out, "\\u2028");
  append_hex(out, 0x7, 2);
  append_hex(out, 0x1234abcd, 8);
  append_hex(out, 0x1234abcd, 1);
  EXPECT_EQ(out, "\\u2028071234abcdd");
}

TEST(Hex, DigitsComeInBothCases) {
  EXPECT_EQ(hex_digits()[10], 'a');
  EXPECT_EQ(hex_digits(true)[10], 'A');
  EXPECT_EQ(hex_digits(true)[9], '9');
}

}  // namespace
}  // namespace waybill
