#include "waybill/base/hex.h"

namespace waybill {

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex_digits()[value >> shift & 0xFU];
}

std::string hex_of(std::span<const unsigned char> bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) append_hex(hex, byte, 2);
  return hex;
}

}  // namespace waybill
