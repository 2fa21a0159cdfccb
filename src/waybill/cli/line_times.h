#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::cli {

// Drops the lines of a log that are older than a time. A line's time is what it begins with, RFC 3339 or
// "2026-07-01 12:00:00[.,]123" (UTC where it names no zone), also within brackets; lines without one go with
// the line before.
class LineTimes {
 public:
  explicit LineTimes(absl::Time since) : since_(since) {}

  [[nodiscard]] std::string pass(std::string_view bytes);
  // The last line, if it has no end.
  [[nodiscard]] std::string rest();
  // Something was dropped and no line had a time.
  [[nodiscard]] bool saw_no_time() const { return dropped_ && !saw_time_; }

 private:
  bool keeps(std::string_view line);

  absl::Time since_;
  std::string unfinished_;
  bool keeping_ = false;
  bool saw_time_ = false;
  bool dropped_ = false;
};

// The time that a line begins with.
[[nodiscard]] std::optional<absl::Time> time_of_line(std::string_view line);

// The last so many lines; one without an end counts.
[[nodiscard]] std::string last_lines(std::string text, std::int64_t count);

}  // namespace waybill::cli
