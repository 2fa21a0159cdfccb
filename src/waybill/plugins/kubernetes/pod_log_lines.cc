#include "waybill/plugins/kubernetes/pod_log_lines.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace waybill::plugins {
namespace {

constexpr std::size_t kLongestStamp = 40;

absl::Time time_of(const std::string& stamp) {
  absl::Time time;
  return absl::ParseTime(absl::RFC3339_full, stamp, &time, nullptr) ? time : absl::InfinitePast();
}

bool is_stamp(const std::string& text) { return time_of(text) != absl::InfinitePast(); }

std::uint64_t number_at(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + end, number);
  text.remove_prefix(std::min(end + 1, text.size()));
  return number;
}

std::string word_at(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::string to_text(const LogPosition& position) {
  return fmt::format("{} {} {} {} {}", position.offset, position.lines, position.bytes, position.pod_uid,
                     position.time);
}

LogPosition parse_position(std::string_view text) {
  LogPosition position;
  position.offset = number_at(text);
  position.lines = number_at(text);
  position.bytes = number_at(text);
  position.pod_uid = word_at(text);
  position.time = word_at(text);
  return position;
}

PodLogLines::PodLogLines(LogPosition from, std::uint64_t more)
    : position_(std::move(from)), target_(position_), seeking_(!target_.time.empty()), skip_(more) {}

std::string PodLogLines::take(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    if (in_stamp_) {
      const std::size_t end = bytes.find_first_of(" \n");
      const std::size_t part = std::min({end, bytes.size(), kLongestStamp + 1 - stamp_.size()});
      stamp_.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (bytes.empty() && stamp_.size() <= kLongestStamp) break;
      in_stamp_ = false;
      if (!bytes.empty() && bytes.front() == ' ' && is_stamp(stamp_)) {
        bytes.remove_prefix(1);
        begin_line();
        stamp_.clear();
      } else {
        // A word of the kubelet's own: part of the log as it is, with the time of the line before.
        skip_line_ = false;
        line_skip_ = 0;
        pass(std::exchange(stamp_, {}), out);
      }
      continue;
    }
    const std::size_t end = bytes.find('\n');
    const std::size_t part = end == std::string_view::npos ? bytes.size() : end + 1;
    pass(bytes.substr(0, part), out);
    bytes.remove_prefix(part);
    in_stamp_ = end != std::string_view::npos;
  }
  return out;
}

std::string PodLogLines::finish() {
  std::string out;
  if (in_stamp_ && !stamp_.empty()) pass(std::exchange(stamp_, {}), out);
  return out;
}

void PodLogLines::begin_line() {
  skip_line_ = false;
  line_skip_ = 0;
  if (seeking_) {
    if (stamp_ == target_.time) {
      skip_line_ = equal_seen_++ < target_.lines;
      if (!skip_line_) line_skip_ = target_.bytes;
    } else {
      skip_line_ = time_of(stamp_) < time_of(target_.time);
    }
    if (skip_line_) return;
    seeking_ = false;
    if (line_skip_ > 0) return;  // the position is inside this very line
  }
  if (stamp_ == position_.time) return;
  position_.time = stamp_;
  position_.lines = 0;
  position_.bytes = 0;
}

void PodLogLines::pass(std::string_view text, std::string& out) {
  if (skip_line_) return;
  const std::uint64_t before = std::min<std::uint64_t>(line_skip_, text.size());
  line_skip_ -= before;
  text.remove_prefix(static_cast<std::size_t>(before));
  if (text.empty()) return;
  position_.offset += text.size();
  position_.bytes += text.size();
  if (text.back() == '\n') {
    ++position_.lines;
    position_.bytes = 0;
  }
  const std::uint64_t archived = std::min<std::uint64_t>(skip_, text.size());
  skip_ -= archived;
  out += text.substr(static_cast<std::size_t>(archived));
}

}  // namespace waybill::plugins
