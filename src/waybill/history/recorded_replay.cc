#include "waybill/history/recorded_replay.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/history/replay.h"
#include "waybill/kube/watch_event.h"

namespace waybill::history {
namespace json = boost::json;
namespace {

constexpr std::size_t kEventPage = 1000;

const json::value* member(const json::value& from, std::string_view name) {
  const json::object* object = from.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string text(const json::value* value) {
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string version_of(const json::value& object) {
  const json::value* metadata = member(object, "metadata");
  return metadata == nullptr ? std::string() : text(member(*metadata, "resourceVersion"));
}

RecorderOptions options_of(std::string cluster, LabelSelector selector) {
  RecorderOptions options;
  options.scope = {.cluster = std::move(cluster), .name_space = "", .selector = "replay"};
  options.selector = std::move(selector);
  return options;
}

}  // namespace

// Stands at the time of the event; only pauses are real.
class RecordedReplay::ReplayClock : public ports::Clock {
 public:
  explicit ReplayClock(boost::asio::any_io_executor io) : io_(std::move(io)) {}
  [[nodiscard]] absl::Time now() const override { return now_; }
  Task<void> sleep(absl::Duration duration) override {
    boost::asio::steady_timer timer(io_, absl::ToChronoNanoseconds(duration));
    auto ended = co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    static_cast<void>(ended);
  }
  void set(absl::Time now) { now_ = now; }

 private:
  boost::asio::any_io_executor io_;
  absl::Time now_;
};

RecordedReplay::RecordedReplay(ReplayPorts ports, std::string cluster, LabelSelector selector)
    : ports_(ports),
      clock_(std::make_unique<ReplayClock>(ports.io)),
      recorder_(RecorderPorts{.io = ports.io,
                              .records = ports.records,
                              .clock = *clock_,
                              .log = ports.log,
                              .redactor = redactor_},
                options_of(cluster, std::move(selector))),
      upkeep_(ports.records, *clock_, UpkeepOptions{.only_cluster = cluster}) {}

RecordedReplay::~RecordedReplay() = default;

Task<absl::Status> RecordedReplay::start() {
  absl::StatusOr<std::string> position = co_await ports_.events.last_position();
  WB_CO_TRY(position);
  const absl::Status begun = co_await go_on(*std::move(position));
  WB_CO_TRY(begun);
  co_await recorder_.on_list_begin();
  co_return absl::OkStatus();
}

Task<absl::Status> RecordedReplay::go_on(std::string began) {
  began_ = std::move(began);
  const auto started = co_await recorder_.start();
  co_return started.status();
}

Task<void> RecordedReplay::stop() {
  recorder_.stop();
  co_await recorder_.join();
}

Task<absl::Status> RecordedReplay::move_to(absl::Time now) {
  if (!first_) first_ = now;
  // Before that no run can have waited for so long.
  const bool may_wait = now - *first_ >= kNotAcceptedAfter;
  if (may_wait) co_await recorder_.flush();
  clock_->set(now);
  if (!may_wait) co_return absl::OkStatus();
  absl::Status noted = co_await upkeep_.note_waiting();
  co_return noted;
}

Task<absl::Status> RecordedReplay::event(json::value event, absl::Time now) {
  const absl::Status moved = co_await move_to(now);
  WB_CO_TRY(moved);
  const std::string type = text(member(event, "type"));
  const json::value* subject = member(event, "object");
  if (subject == nullptr || !subject->is_object()) co_return absl::OkStatus();
  const json::object& object = subject->get_object();
  if (type == "BOOKMARK" && kube::ends_initial_events(object)) {
    co_await recorder_.on_list_end(version_of(*subject));
  } else if (type == "BOOKMARK") {
    co_await recorder_.on_bookmark(version_of(*subject));
  }
  const json::value* code = member(*subject, "code");
  const bool expired = type == "ERROR" && code != nullptr && *code == 410;
  if (expired) co_await recorder_.on_list_begin();
  const std::optional<kube::EventType> known = kube::event_type(type);
  if (!known) co_return absl::OkStatus();
  absl::Status taken = co_await pass(*known, object);
  co_return taken;
}

Task<absl::Status> RecordedReplay::pass(kube::EventType type, json::object object) {
  kube::DeadLetter letter;
  letter.name = kube::name_of(object);
  kube::WatchEvent event;
  event.type = type;
  event.received.object = std::move(object);
  const absl::Status taken = co_await recorder_.on_event(std::move(event));
  if (!taken.ok()) {
    letter.reason = message(taken);
    co_await recorder_.on_dead_letter(std::move(letter));
  }
  co_return absl::OkStatus();
}

Task<absl::Status> RecordedReplay::list(json::value list, absl::Time now) {
  const absl::Status moved = co_await move_to(now);
  WB_CO_TRY(moved);
  co_await recorder_.on_list_begin();
  const json::value* items = member(list, "items");
  if (items == nullptr || !items->is_array()) co_return invalid("the list has no items");
  for (const json::value& item : items->get_array()) {
    if (!item.is_object()) continue;
    kube::Received received;
    received.object = item.get_object();
    kube::DeadLetter letter;
    letter.name = kube::name_of(received.object);
    const absl::Status taken = co_await recorder_.on_item(std::move(received));
    if (taken.ok()) continue;
    letter.reason = message(taken);
    co_await recorder_.on_dead_letter(std::move(letter));
  }
  co_await recorder_.on_list_end(version_of(list));
  co_return absl::OkStatus();
}

Task<absl::StatusOr<json::object>> RecordedReplay::result() {
  co_await recorder_.flush();
  std::vector<domain::Record> records;
  std::string position = began_;
  while (true) {
    auto page = co_await ports_.events.read(position, kEventPage);
    WB_CO_TRY(page);
    for (const ports::Event& event : page->events) {
      // The first event of a record comes from nothing.
      if (event.type != "record" || event.body.contains("from")) continue;
      auto record = co_await ports_.reader.get(RecordId(event.subject));
      WB_CO_TRY(record);
      if (record->run.cluster == recorder_.scope().cluster) records.push_back(*std::move(record));
    }
    if (page->events.empty()) break;
    position = page->last_position;
  }
  std::vector<const domain::Run*> runs;
  for (const domain::Record& record : records) runs.push_back(&record.run);
  co_return replay_result(runs);
}

}  // namespace waybill::history
