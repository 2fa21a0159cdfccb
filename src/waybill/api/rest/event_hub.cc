#include "waybill/api/rest/event_hub.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "waybill/base/go_json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

namespace waybill::rest {
namespace asio = boost::asio;
namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kKept = 4096;
constexpr std::size_t kPage = 500;
constexpr absl::Duration kLook = absl::Seconds(2);  // without a notice
// From a read to the next that was asked for meanwhile: twice what the read took, within these bounds. A
// transition is told at once when little happens, and reading takes a third of one connection at most.
constexpr absl::Duration kLeastBetweenReads = absl::Milliseconds(1);
constexpr absl::Duration kMostBetweenReads = absl::Milliseconds(25);
constexpr absl::Duration kAfterError = absl::Seconds(1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes one run of digits off the text, without leading zeros; drops what is between runs.
std::string_view next_number(std::string_view& text) {
  while (!text.empty() && !is_digit(text.front())) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

std::string event_text(std::string_view position, std::string_view type, std::string_view json) {
  std::string text = "id: ";
  text += position;
  text += "\nevent: ";
  text += type;
  text += "\ndata: ";
  text += json;
  text += "\n\n";
  return text;
}

// Members that say nothing are left out, as in every answer.
bool says_nothing(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return true;
    case boost::json::kind::bool_:
      return !value.get_bool();
    case boost::json::kind::string:
      return value.get_string().empty();
    case boost::json::kind::array:
      return value.get_array().empty();
    case boost::json::kind::object:
      return value.get_object().empty();
    default:
      return value.to_number<double>() == 0;
  }
}

boost::json::object without_empty_members(const boost::json::object& body) {
  boost::json::object out;
  for (const auto& member : body) {
    if (!says_nothing(member.value())) out.insert(member);
  }
  return out;
}

}  // namespace

SentEventPtr make_sent_event(const ports::Event& event, const Redactor& redactor) {
  auto sent = std::make_shared<SentEvent>();
  sent->position = event.position;
  sent->type = event.type;
  sent->body = redactor.masked(without_empty_members(event.body));
  sent->body["type"] = event.type;
  sent->body["id"] = event.subject;
  sent->body["at"] = format_time(event.at);
  sent->text = event_text(event.position, event.type, go_json(sent->body));
  return sent;
}

SentEventPtr make_reset(const std::string& position) {
  auto sent = std::make_shared<SentEvent>();
  sent->position = position;
  sent->type = "reset";
  sent->text = event_text(position, "reset", "{}");
  return sent;
}

int compare_positions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const std::string_view x = next_number(a);
    const std::string_view y = next_number(b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    const int order = x.compare(y);
    if (order != 0) return order;
  }
  return 0;
}

EventHub::EventHub(asio::any_io_executor io, ports::EventStore& events, ports::ChangeFeed& changes, Log& log,
                   const Redactor& redactor)
    : io_(std::move(io)),
      events_(events),
      changes_(changes),
      log_(log),
      redactor_(redactor),
      timer_(io_),
      ended_(io_, asio::steady_timer::time_point::max()) {}
EventHub::~EventHub() = default;

void EventHub::enter(StreamSink* listener) {
  listeners_.insert(listener);
  if (std::exchange(running_, true)) return;
  asio::co_spawn(io_, run(shared_from_this()),
                 [self = shared_from_this()](const std::exception_ptr& problem) {
                   self->running_ = false;
                   self->live_ = false;
                   self->subscription_.reset();
                   self->ended_.cancel();
                   if (problem) self->log_.error("reading events ended by an exception");
                   self->wake_all();
                 });
}

void EventHub::leave(StreamSink* listener) {
  listeners_.erase(listener);
  if (listeners_.empty()) timer_.cancel();
}

Task<void> EventHub::stopped() {
  while (running_) {
    timer_.cancel();
    auto [ignored] = co_await ended_.async_wait(kAsTuple);
    static_cast<void>(ignored);
  }
}

bool EventHub::reaches(std::string_view position) const {
  return live_ && compare_positions(base_, position) <= 0;
}

std::uint64_t EventHub::number_after(std::string_view position) const {
  std::size_t i = ring_.size();
  while (i > 0 && compare_positions(ring_[i - 1]->position, position) > 0) --i;
  return first_ + i;
}

std::vector<SentEventPtr> EventHub::from(std::uint64_t number, std::size_t limit) const {
  std::vector<SentEventPtr> events;
  for (std::uint64_t n = std::max(number, first_); n < end() && events.size() < limit; ++n) {
    events.push_back(ring_[n - first_]);
  }
  return events;
}

void EventHub::keep(SentEventPtr event) {
  ring_.push_back(std::move(event));
  if (ring_.size() <= kKept) return;
  base_ = ring_.front()->position;
  ring_.pop_front();
  ++first_;
}

void EventHub::wake_all() {
  for (StreamSink* listener : listeners_) listener->wake();
}

Task<void> EventHub::pause(absl::Duration duration) {
  timer_.expires_after(absl::ToChronoMilliseconds(duration));
  auto [ignored] = co_await timer_.async_wait(kAsTuple);
  static_cast<void>(ignored);
}

Task<absl::Status> EventHub::read_on() {
  noticed_ = false;
  absl::StatusOr<ports::EventPage> page = co_await events_.read(position_, kPage);
  WB_CO_TRY(page);
  position_ = page->last_position;
  if (page->reset) keep(make_reset(position_));
  for (const ports::Event& event : page->events) keep(make_sent_event(event, redactor_));
  if (page->reset || !page->events.empty()) wake_all();
  if (page->events.size() == kPage) noticed_ = true;
  co_return absl::OkStatus();
}

// Static and holding itself: it lives as long as somebody listens.
Task<void> EventHub::run(std::shared_ptr<EventHub> self) {
  self->subscription_ = self->changes_.subscribe([hub = self.get()](const ports::ChangeNotice& notice) {
    if (notice.kind != ports::ChangeKind::kEventsAppended) return;
    hub->noticed_ = true;
    hub->timer_.cancel();
  });
  while (!self->listeners_.empty()) {
    const auto begin = std::chrono::steady_clock::now();
    absl::Status status;
    if (!self->live_) {
      absl::StatusOr<std::string> last = co_await self->events_.last_position();
      status = last.status();
      if (last.ok()) {
        self->first_ = self->end();
        self->ring_.clear();
        self->base_ = *last;
        self->position_ = *std::move(last);
        self->live_ = true;
        self->wake_all();
      }
    } else {
      status = co_await self->read_on();
    }
    if (!status.ok()) self->log_.warn("can't read events", {{"what", message(status)}});
    const absl::Duration took = absl::FromChrono(std::chrono::steady_clock::now() - begin);
    const absl::Duration rest = std::clamp(2 * took, kLeastBetweenReads, kMostBetweenReads);
    co_await self->pause(status.ok() ? rest : kAfterError);
    if (status.ok() && !self->noticed_ && !self->listeners_.empty()) co_await self->pause(kLook);
  }
}

}  // namespace waybill::rest
