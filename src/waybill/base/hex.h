#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace waybill {

// What a digit of hexadecimal text looks like, by its value.
[[nodiscard]] constexpr std::string_view hex_digits(bool upper = false) {
  return upper ? "0123456789ABCDEF" : "0123456789abcdef";
}

// The last `digits` digits of `value` (1 to 8), lower-case.
void append_hex(std::string& out, std::uint32_t value, int digits);

// Two lower-case digits a byte.
[[nodiscard]] std::string hex_of(std::span<const unsigned char> bytes);

}  // namespace waybill
