#pragma once

// Which bytes of a log a client wants. Internal to api/rest.

#include <cstdint>
#include <optional>
#include <string_view>

namespace waybill::rest {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // one past the last
};

enum class RangeKind { kNone, kPart, kUnsatisfiable };
struct RangeAnswer {
  RangeKind kind = RangeKind::kNone;  // none: no range, several, or not in bytes: the whole is answered
  ByteRange range;
};

// A Range header ("bytes=0-99", "bytes=100-", "bytes=-50") over `size` bytes.
[[nodiscard]] RangeAnswer parse_range(std::string_view header, std::uint64_t size);

}  // namespace waybill::rest
