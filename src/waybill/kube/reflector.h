#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/kube/api.h"
#include "waybill/kube/object.h"
#include "waybill/ports/clock.h"

namespace waybill::kube {

enum class EventType { kAdded, kModified, kDeleted };

struct WatchEvent {
  EventType type = EventType::kModified;
  Received received;  // never with a dead letter
};

// Where what is seen goes. It throws nothing. All calls come on the io thread, one after the other; the next
// bytes are read when the sink came back, so a full queue slows the server down and nothing is dropped. An
// error that on_item or on_event answers makes a dead letter of that object and the stream goes on; whoever
// wants to try again does so within the call.
class WatchSink {
 public:
  virtual ~WatchSink() = default;

  // A new list begins. One that had begun before and not ended was given up: nothing follows from it.
  virtual Task<void> on_list_begin() = 0;
  // An object may come twice; the later state is the newer.
  virtual Task<absl::Status> on_item(Received item) = 0;
  // All pages of one consistent list were read: what was not in it (items and dead letters) is not there any
  // more, as of this version. May be stored as the position to go on from.
  virtual Task<void> on_list_end(std::string resource_version) = 0;
  // The object's own resourceVersion is the position reached. It may be stored, with what came from the
  // event.
  virtual Task<absl::Status> on_event(WatchEvent event) = 0;
  // Nothing but the position moved.
  virtual Task<void> on_bookmark(std::string resource_version) = 0;
  // An object was put aside: it is there (counts as present in a list), but could not be handled.
  virtual Task<void> on_dead_letter(DeadLetter letter) = 0;
};

struct ReflectorTimes {
  absl::Duration backoff_first = absl::Milliseconds(800);  // doubled up to backoff_most, full jitter
  absl::Duration backoff_most = absl::Seconds(30);
  absl::Duration healthy_after = absl::Minutes(2);  // of a watch: then the backoff begins anew
  absl::Duration watch_least = absl::Minutes(5);    // timeoutSeconds is between these
  absl::Duration watch_most = absl::Minutes(10);
  absl::Duration watchdog_slack = absl::Seconds(30);  // a watch silent for its timeout and this is dead
  absl::Duration suspect_watch = absl::Seconds(1);    // one that ends earlier, without an event, is suspect
  absl::Duration list_silence = absl::Seconds(60);    // a list that sends nothing for so long is dead
  absl::Duration initial_events =
      absl::Seconds(60);                        // a streaming list silent for so long: a plain one instead
  absl::Duration throttled = absl::Seconds(1);  // 429 and 503 without Retry-After
};

struct ReflectorOptions {
  Listing listing;
  // A stored position to watch from, without a list. If the server has forgotten it, a list comes first.
  std::string start_at = {};
  std::size_t object_limit = std::size_t{16} << 20U;
  // Asks for the first list as a watch (sendInitialEvents), which costs the server less; one that knows
  // nothing of it is asked for plain pages. The sink sees no difference.
  bool streaming_lists = true;
  int suspect_watches = 3;  // so many in a row: list again
  ReflectorTimes times = {};
  std::uint64_t seed = 0;  // of the jitter
};

struct ReflectorMetrics {
  enum class State { kStopped, kListing, kWatching, kWaiting };
  State state = State::kStopped;
  bool synced = false;       // a list was completed, or the stored position was taken, and nothing lost since
  absl::Time last_heard;     // last event, bookmark, or page of a list: liveness is its age
  absl::Time last_bookmark;  // InfinitePast: none yet
  absl::Duration event_lag;  // of the last event: from its write (whole seconds) until the sink had it
  std::uint64_t events = 0;
  std::uint64_t bookmarks = 0;
  std::uint64_t lists = 0;    // begun
  std::uint64_t relists = 0;  // those of them that a lost position made necessary
  std::uint64_t watches = 0;  // begun
  std::uint64_t watchdog_ends = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t errors = 0;  // of lists and watches
  absl::Status last_error;   // of the last list or watch; OK after a healthy one
  absl::Time last_error_at;
};

// Lists, watches, and keeps on watching, whatever the server and the network do: every change after the
// position is delivered, in the server's order and possibly again after a break, or else a complete list
// follows.
//
// io thread only. run() ends only after stop(), which may be called from within the sink too. Everything
// given by reference must outlive run().
class Reflector {
 public:
  Reflector(boost::asio::any_io_executor io, Api& api, ports::Clock& clock, Log& log,
            ReflectorOptions options, WatchSink& sink);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  Task<void> run();
  void stop();
  // Ends the watch and lists again, once.
  void list_again();
  [[nodiscard]] const ReflectorMetrics& metrics() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::kube
