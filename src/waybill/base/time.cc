#include "waybill/base/time.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "waybill/base/status.h"

namespace waybill {
namespace {

// The whole of text as a non-negative decimal number, without exponent or sign.
bool parse_number(std::string_view text, double& number) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

}  // namespace

std::string format_time(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> parse_time(std::string_view text) {
  absl::Time time;
  std::string problem;
  const absl::string_view input(text.data(), text.size());
  if (absl::ParseTime(absl::RFC3339_full, input, &time, &problem)) return time;
  if (absl::ParseTime("%Y-%m-%d", input, absl::UTCTimeZone(), &time, &problem)) return time;
  double seconds = 0;
  // The year 9999 is the last one that RFC 3339 can write.
  constexpr double kLatest = 253402300799.0;
  if (parse_number(text, seconds) && seconds <= kLatest) return absl::UnixEpoch() + absl::Seconds(seconds);
  return invalid(
      fmt::format("\"{}\" is not a time: use RFC 3339 (2026-07-01T12:00:00Z), a date (2026-07-01) or unix "
                  "seconds",
                  text));
}

absl::StatusOr<absl::Duration> parse_duration(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string_view unit = end == std::string_view::npos ? std::string_view() : text.substr(end);
  double number = 0;
  double scale = 1;
  if (unit == "ms") {
    scale = 0.001;
  } else if (unit == "m") {
    scale = 60;
  } else if (unit == "h") {
    scale = 3600;
  } else if (unit == "d") {
    scale = 86400;
  } else if (!unit.empty() && unit != "s") {
    number = -1;
  }
  if (number == 0 && parse_number(text.substr(0, end), number)) return absl::Seconds(number * scale);
  return invalid(
      fmt::format("\"{}\" is not a duration: use seconds (90) or a number with ms, s, m, h or d (5m)", text));
}

}  // namespace waybill
