#include "waybill/cli/times.h"

#include <fmt/format.h>

#include <algorithm>

namespace waybill::cli {

std::string age_text(absl::Duration age) {
  const std::int64_t seconds = std::max<std::int64_t>(0, absl::ToInt64Seconds(age));
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 120 * 60) return fmt::format("{}m", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

std::string duration_text(absl::Duration duration) {
  const std::int64_t milliseconds = std::max<std::int64_t>(0, absl::ToInt64Milliseconds(duration));
  const std::int64_t seconds = milliseconds / 1000;
  if (milliseconds < 1000) return fmt::format("{}ms", milliseconds);
  if (seconds < 60) return fmt::format("{}.{}s", seconds, milliseconds % 1000 / 100);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{}h{:02}m", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{}d{:02}h", seconds / 86400, seconds % 86400 / 3600);
}

std::string time_text(std::optional<absl::Time> time, TimeForm form, absl::Time now) {
  if (!time) return "";
  switch (form) {
    case TimeForm::kAge:
      return age_text(now - *time);
    case TimeForm::kLocal:
      return absl::FormatTime("%Y-%m-%d %H:%M:%S", *time, absl::LocalTimeZone());
    case TimeForm::kUtc:
      return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone());
  }
  return "";
}

}  // namespace waybill::cli
