#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill {

// RFC 3339 in UTC with milliseconds: "2026-07-01T12:00:00.000Z". The form of every time that is not unix
// seconds.
[[nodiscard]] std::string format_time(absl::Time time);

// RFC 3339 with any offset and up to nanoseconds, a date ("2026-07-01", midnight UTC) or unix seconds.
[[nodiscard]] absl::StatusOr<absl::Time> parse_time(std::string_view text);

// "90s", "5m", "2h", "1d", "250ms" or plain seconds ("90"), not negative.
[[nodiscard]] absl::StatusOr<absl::Duration> parse_duration(std::string_view text);

}  // namespace waybill
