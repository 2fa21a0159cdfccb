#include <absl/time/clock.h>

#include <boost/json.hpp>
#include <map>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/event_hub.h"
#include "waybill/base/status.h"

// GET /events: server-sent events.
namespace waybill::rest {
namespace {

constexpr std::size_t kPage = 500;
constexpr absl::Duration kHeartbeat = absl::Seconds(15);

// Which events a client wants: for each member named, one of these texts.
using EventFilter = std::map<std::string, std::vector<std::string>>;

EventFilter read_filter(const Query& query) {
  EventFilter filter;
  for (const char* name : {"type", "id", "user", "command", "cluster", "status", "reason", "project", "table",
                           "namespace", "record_type", "job_id"}) {
    std::vector<std::string> words = query.list(name);
    if (words.empty()) continue;
    filter[std::string_view(name) == "status" ? "to" : name] = std::move(words);
  }
  return filter;
}

bool wants(const EventFilter& filter, const SentEvent& event) {
  if (event.type == "reset") return true;
  for (const auto& [name, words] : filter) {
    const boost::json::value* value = event.body.if_contains(name);
    if (value == nullptr || !value->is_string()) return false;
    if (std::find(words.begin(), words.end(), std::string_view(value->get_string())) == words.end())
      return false;
  }
  return true;
}

// One browser's way through the events: first from the table, then with everybody else from the hub.
class EventStream {
 public:
  EventStream(ApiPtr api, EventFilter filter, std::string position, std::shared_ptr<StreamSink> sink)
      : api_(std::move(api)),
        filter_(std::move(filter)),
        position_(std::move(position)),
        sink_(std::move(sink)) {
    api_->hub->enter(sink_.get());
  }
  ~EventStream() { api_->hub->leave(sink_.get()); }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  static Task<void> run(std::shared_ptr<EventStream> self) {
    bool open = co_await self->send("retry: 2000\n\n");
    while (open) {
      open = co_await self->join();
      if (open) open = co_await self->follow();
    }
  }

 private:
  // Until the hub has all that comes next.
  Task<bool> join() {
    const EventHub& hub = *api_->hub;
    while (sink_->open()) {
      if (hub.reaches(position_)) {
        next_ = hub.number_after(position_);
        co_return true;
      }
      absl::StatusOr<ports::EventPage> page = co_await api_->services.events.read(position_, kPage);
      if (!page.ok()) co_return false;  // the client comes back with its Last-Event-ID
      const bool sent = co_await send(page_text(*page));
      if (!sent) co_return false;
      position_ = page->last_position;
      if (page->events.size() < kPage) {
        const bool open = co_await sink_->wait(absl::Seconds(1));
        if (!open) co_return false;
      }
    }
    co_return false;
  }

  // Until the client has gone (false) or is too slow for the hub (true).
  Task<bool> follow() {
    const EventHub& hub = *api_->hub;
    while (sink_->open() && hub.has(next_)) {
      const std::vector<SentEventPtr> events = hub.from(next_, kPage);
      std::string text;
      for (const SentEventPtr& event : events) {
        if (wants(filter_, *event)) text += event->text;
        position_ = event->position;
        ++next_;
      }
      if (text.empty() && absl::Now() - last_sent_ >= kHeartbeat) text = ":\n\n";
      const bool sent = co_await send(std::move(text));
      if (!sent) co_return false;
      if (!events.empty()) continue;
      const bool open = co_await sink_->wait(kHeartbeat);
      if (!open) co_return false;
    }
    co_return sink_->open();
  }

  std::string page_text(const ports::EventPage& page) const {
    std::string text;
    if (page.reset) text += make_reset(page.last_position)->text;
    for (const ports::Event& event : page.events) {
      const SentEventPtr sent = make_sent_event(event, api_->services.redactor);
      if (wants(filter_, *sent)) text += sent->text;
    }
    return text;
  }

  Task<bool> send(std::string text) {
    if (text.empty()) co_return sink_->open();
    last_sent_ = absl::Now();
    const bool sent = co_await sink_->write(std::move(text));
    co_return sent;
  }

  ApiPtr api_;
  EventFilter filter_;
  std::string position_;  // the last event seen
  std::shared_ptr<StreamSink> sink_;
  std::uint64_t next_ = 0;
  absl::Time last_sent_ = absl::Now();
};

Task<absl::StatusOr<Reply>> get_events(ApiPtr api, CallPtr call) {
  EventFilter filter = read_filter(call->query);
  if (is_scoped(*api, *call)) {
    WB_CO_TRY(require_caller(*call));
    filter["user"] = {call->caller.name};
  }
  const std::string* header = call->request->headers.find("Last-Event-ID");
  std::string position(header != nullptr ? std::string_view(*header) : call->query.get("last_event_id"));
  // Both before the stream begins: a position that is none is told as such, and all that happens once the
  // client has the answer's head is told.
  if (position.empty()) {
    absl::StatusOr<std::string> last = co_await api->services.events.last_position();
    WB_CO_TRY(last);
    position = *std::move(last);
  } else {
    absl::StatusOr<ports::EventPage> page = co_await api->services.events.read(position, 1);
    WB_CO_TRY(page);
  }
  Reply reply;
  reply.content_type = "text/event-stream";
  reply.headers.add("Cache-Control", "no-store");
  reply.headers.add("X-Accel-Buffering", "no");
  reply.stream = [api, filter = std::move(filter), position](std::shared_ptr<StreamSink> sink) {
    return EventStream::run(std::make_shared<EventStream>(api, filter, position, std::move(sink)));
  };
  co_return reply;
}

}  // namespace

void add_event_routes(Api& api) {
  api.base.add({Method::kGet, "/events", Needs::kNothing, Audit::kDenied, get_events});
}

}  // namespace waybill::rest
