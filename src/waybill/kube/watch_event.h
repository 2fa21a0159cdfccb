#pragma once

#include <absl/status/status.h>

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

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

// Of "ADDED", "MODIFIED" and "DELETED"; other words are not events of an object.
[[nodiscard]] std::optional<EventType> event_type(std::string_view word);

// Whether a bookmark says that all the objects a watch began with have come.
[[nodiscard]] bool ends_initial_events(const boost::json::object& bookmark);

// Never fails: what can't be read is a dead letter.
[[nodiscard]] WatchLine read_watch_line(const Piece& line);

// Whether a version is lower than another, where both are numbers; they are opaque otherwise.
[[nodiscard]] bool is_lower_version(const std::string& version, const std::string& than);

}  // namespace waybill::kube
