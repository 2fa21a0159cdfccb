#include "waybill/cli/line_times.h"

#include <algorithm>

#include "waybill/base/time.h"

namespace waybill::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;  // longer ones are decided by their beginning

bool is_time_character(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == ':' || c == '.' || c == ',' || c == '+' || c == 'T' ||
         c == 'Z';
}

}  // namespace

std::optional<absl::Time> time_of_line(std::string_view line) {
  constexpr std::size_t kDate = 10;      // 2026-07-01
  constexpr std::size_t kShortest = 19;  // with hours, minutes and seconds
  if (line.starts_with('[')) line.remove_prefix(1);
  if (line.size() < kShortest || line[4] != '-' || line[7] != '-') return std::nullopt;
  std::size_t end = kDate + 1;
  while (end < line.size() && is_time_character(line[end])) ++end;
  std::string text(line.substr(0, end));
  text[kDate] = 'T';
  std::replace(text.begin(), text.end(), ',', '.');
  while (text.ends_with('.') || text.ends_with(':') || text.ends_with('-')) text.pop_back();
  const bool has_zone = text.find_first_of("Z+-", kDate) != std::string::npos;
  const absl::StatusOr<absl::Time> time = parse_time(has_zone ? text : text + "Z");
  if (!time.ok()) return std::nullopt;
  return *time;
}

std::string last_lines(std::string text, std::int64_t count) {
  std::size_t at = text.size();
  if (text.ends_with('\n')) --at;
  if (count <= 0) return "";
  for (std::int64_t lines = 0; at > 0; --at) {
    if (text[at - 1] == '\n' && ++lines == count) return text.substr(at);
  }
  return text;
}

bool LineTimes::keeps(std::string_view line) {
  if (const std::optional<absl::Time> time = time_of_line(line)) {
    saw_time_ = true;
    keeping_ = *time >= since_;
  }
  dropped_ = dropped_ || !keeping_;
  return keeping_;
}

std::string LineTimes::pass(std::string_view bytes) {
  if (since_ == absl::InfinitePast()) return std::string(bytes);
  std::string out;
  unfinished_ += bytes;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = unfinished_.find('\n', start);
    const bool too_long = end == std::string::npos && unfinished_.size() - start > kLongestLine;
    if (end == std::string::npos && !too_long) break;
    const std::size_t next = too_long ? unfinished_.size() : end + 1;
    const std::string_view line = std::string_view(unfinished_).substr(start, next - start);
    if (keeps(line)) out += line;
    start = next;
  }
  unfinished_.erase(0, start);
  return out;
}

std::string LineTimes::rest() {
  std::string line = std::exchange(unfinished_, std::string());
  return !line.empty() && keeps(line) ? line : std::string();
}

}  // namespace waybill::cli
