#include "waybill/base/id_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "waybill/base/ids.h"

namespace waybill {

std::optional<absl::Time> time_in_id(std::string_view id) {
  if (!is_uuid(id) || id[14] != '7') return std::nullopt;
  std::int64_t milliseconds = 0;
  for (const char c : id.substr(0, 13)) {
    if (c == '-') continue;
    milliseconds = milliseconds * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return absl::FromUnixMillis(milliseconds);
}

std::string first_id_at(absl::Time time) {
  constexpr std::int64_t kLast = (std::int64_t{1} << 48U) - 1;
  std::int64_t milliseconds = std::clamp(absl::ToUnixMillis(time), std::int64_t{0}, kLast);
  if (milliseconds < kLast && absl::FromUnixMillis(milliseconds) < time) ++milliseconds;
  const auto stamp = static_cast<std::uint64_t>(milliseconds);
  return fmt::format("{:08x}-{:04x}", stamp >> 16U, stamp & 0xffffU);
}

}  // namespace waybill
