#include "waybill/base/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace waybill {
namespace {

constexpr std::uint32_t kSequenceBits = 12;
constexpr std::uint32_t kSequenceLimit = 1U << kSequenceBits;

}  // namespace

IdGenerator::IdGenerator() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device()};
  random_.seed(seed);
}

IdGenerator::IdGenerator(std::uint64_t seed) : random_(seed) {}

std::string IdGenerator::next(absl::Time now) {
  std::int64_t milliseconds = absl::ToUnixMillis(now);
  // RFC 9562, method 1: the 12 bits after the version count within a millisecond. When the clock stands or
  // goes back, we stay at the last millisecond; when the counter is full, we borrow from the next.
  if (milliseconds > last_milliseconds_) {
    last_milliseconds_ = milliseconds;
    sequence_ = static_cast<std::uint32_t>(random_() % (kSequenceLimit / 2));
  } else if (++sequence_ == kSequenceLimit) {
    ++last_milliseconds_;
    sequence_ = 0;
  }
  const auto stamp = static_cast<std::uint64_t>(last_milliseconds_);
  const std::uint64_t tail = random_();
  return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}", (stamp >> 16U) & 0xffffffffU, stamp & 0xffffU,
                     sequence_, 0x8000U | ((tail >> 48U) & 0x3fffU), tail & 0xffffffffffffU);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

}  // namespace waybill
