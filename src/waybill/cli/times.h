#pragma once

#include <absl/time/time.h>

#include <optional>
#include <string>

namespace waybill::cli {

enum class TimeForm { kAge, kLocal, kUtc };

// "12s", "5m", "3h", "2d": whole units, below twice the next one in the smaller unit (119s, 119m, 47h). A
// time that is still to come is "0s".
[[nodiscard]] std::string age_text(absl::Duration age);

// "85ms", "3.4s", "2m05s", "1h02m", "3d04h".
[[nodiscard]] std::string duration_text(absl::Duration duration);

// An age, "2026-07-01 14:00:00" in the local zone, or "2026-07-01T12:00:00Z"; "" for no time.
[[nodiscard]] std::string time_text(std::optional<absl::Time> time, TimeForm form, absl::Time now);

}  // namespace waybill::cli
