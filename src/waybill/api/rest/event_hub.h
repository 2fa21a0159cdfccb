#pragma once

// The events of all instances for all browsers of this one. Internal to api/rest.

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/api/rest/http/message.h"
#include "waybill/base/log.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/ports/change_feed.h"
#include "waybill/ports/event_store.h"

namespace waybill::rest {

// One event as it goes to every browser: written once.
struct SentEvent {
  std::string position;
  std::string type;
  boost::json::object body;  // what filters look at
  std::string text;          // "id: …\nevent: …\ndata: …\n\n"
};
using SentEventPtr = std::shared_ptr<const SentEvent>;

[[nodiscard]] SentEventPtr make_sent_event(const ports::Event& event, const Redactor& redactor);
// "reset": the client reads its list anew, events go on after `position`.
[[nodiscard]] SentEventPtr make_reset(const std::string& position);

// < 0, 0, > 0: numbers in them compare as numbers.
[[nodiscard]] int compare_positions(std::string_view a, std::string_view b);

// Reads the events table once for everybody, while anybody listens, and keeps the last few thousand events. A
// reader that is further back reads the table itself until it has caught up. On the io thread only.
class EventHub : public std::enable_shared_from_this<EventHub> {
 public:
  EventHub(boost::asio::any_io_executor io, ports::EventStore& events, ports::ChangeFeed& changes, Log& log,
           const Redactor& redactor);
  ~EventHub();

  // A listener is woken when there is something new, between enter() and leave().
  void enter(StreamSink* listener);
  void leave(StreamSink* listener);
  [[nodiscard]] std::size_t listeners() const { return listeners_.size(); }

  // Comes back when nothing of it runs any more; its listeners must have left, or be leaving.
  Task<void> stopped();

  [[nodiscard]] bool live() const { return live_; }
  // The number that the next event will have; for a listener that wants only what is new.
  [[nodiscard]] std::uint64_t end() const { return first_ + ring_.size(); }
  // Whether all that came after `position` is still here, and the number of the first such event.
  [[nodiscard]] bool reaches(std::string_view position) const;
  [[nodiscard]] std::uint64_t number_after(std::string_view position) const;
  // Whether event `number` is still here (or the next to come).
  [[nodiscard]] bool has(std::uint64_t number) const { return live_ && number >= first_ && number <= end(); }
  // Events from `number` on, at most `limit`.
  [[nodiscard]] std::vector<SentEventPtr> from(std::uint64_t number, std::size_t limit) const;

 private:
  static Task<void> run(std::shared_ptr<EventHub> self);
  Task<absl::Status> read_on();
  Task<void> pause(absl::Duration duration);
  void keep(SentEventPtr event);
  void wake_all();

  boost::asio::any_io_executor io_;
  ports::EventStore& events_;
  ports::ChangeFeed& changes_;
  Log& log_;
  const Redactor& redactor_;
  std::unique_ptr<ports::ChangeFeed::Subscription> subscription_;
  std::set<StreamSink*> listeners_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer ended_;  // cancelled when run() has come back
  std::deque<SentEventPtr> ring_;
  std::uint64_t first_ = 1;  // number of ring_[0]
  std::string base_;         // position before ring_[0]
  std::string position_;     // read up to here
  bool running_ = false;
  bool live_ = false;
  bool noticed_ = false;
};

}  // namespace waybill::rest
