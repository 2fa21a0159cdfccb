#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string>

#include "waybill/kube/reflector.h"
#include "waybill/kube/stream_scan.h"

namespace waybill::kube {

// A line of a watch.
struct WatchLine {
  enum class Kind { kEvent, kBookmark, kError, kDeadLetter };
  Kind kind = Kind::kDeadLetter;
  EventType type = EventType::kModified;
  std::string type_word = {};
  Received received = {};           // of kEvent and kDeadLetter
  std::string version = {};         // of the object; "" : not known
  bool initial_events_end = false;  // of a bookmark
  absl::Status error = {};          // of kError, with the server's ApiError
};

// Never fails: what can't be read is a dead letter.
[[nodiscard]] WatchLine read_watch_line(const Piece& line);

// Whether a version is lower than another, where both are numbers; they are opaque otherwise.
[[nodiscard]] bool is_lower_version(const std::string& version, const std::string& than);

}  // namespace waybill::kube
