#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::plugins {

// How far a pod's log was taken: enough to go on in a new stream, of this process or of the next.
struct LogPosition {
  std::string pod_uid;       // the log is this pod's
  std::uint64_t offset = 0;  // of the archived stream
  std::string time;          // of the last line that began, as the server wrote it; "" : none has
  std::uint64_t lines = 0;   // complete lines of exactly that time
  std::uint64_t bytes = 0;   // of the line after those

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};
[[nodiscard]] std::string to_text(const LogPosition& position);
[[nodiscard]] LogPosition parse_position(std::string_view text);  // what can't be read is the beginning

// Takes a log with timestamps, as the API server sends it from a position's time on, and gives the text after
// that position: each byte once. Pure.
class PodLogLines {
 public:
  // `more`: bytes after the position that are archived already.
  PodLogLines(LogPosition from, std::uint64_t more);

  // What of these bytes is to be archived.
  [[nodiscard]] std::string take(std::string_view bytes);
  // What is left when the log is at its end: a timestamp that was none.
  [[nodiscard]] std::string finish();
  [[nodiscard]] const LogPosition& position() const { return position_; }

 private:
  void begin_line();
  void pass(std::string_view text, std::string& out);

  LogPosition position_;
  LogPosition target_;  // while seeking: where to go on
  bool seeking_ = false;
  std::uint64_t skip_ = 0;        // bytes of the stream that are archived already
  std::uint64_t line_skip_ = 0;   // bytes of this line that lie before the target
  bool skip_line_ = false;        // this line lies before the target
  std::uint64_t equal_seen_ = 0;  // lines of the target's time, while seeking
  bool in_stamp_ = true;
  std::string stamp_;
};

}  // namespace waybill::plugins
