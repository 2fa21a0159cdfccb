#include "waybill/history/recorder.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/history/recorder_state.h"

namespace waybill::history {
namespace json = boost::json;
namespace {

std::optional<std::uint64_t> decimal(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (text.empty() || problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

Recorder::Recorder(RecorderPorts ports, RecorderOptions options)
    : state_(std::make_shared<State>(std::move(ports), std::move(options))) {
  if (state_->options.mask_manifests) state_->reading.mask = &state_->ports.redactor;
  state_->reading.manifest_bytes = state_->options.manifest_bytes;
}

Recorder::~Recorder() { stop(); }

Task<absl::StatusOr<std::string>> Recorder::start() {
  const std::shared_ptr<State> state = state_;
  absl::StatusOr<std::string> key = co_await state->ports.records.spec_key();
  WB_CO_TRY(key);
  state->reading.spec_key = *std::move(key);
  absl::StatusOr<std::string> cursor = co_await state->ports.records.cursor(state->options.scope);
  WB_CO_TRY(cursor);
  state->running = true;
  boost::asio::co_spawn(state->ports.io, State::run(state), [state](const std::exception_ptr& problem) {
    state->running = false;
    state->done.notify();
    if (problem)
      state->ports.log.error("the recorder of a watch ended", {{"scope", state->options.scope.text()}});
  });
  co_return cursor;
}

Task<void> Recorder::flush() {
  const std::shared_ptr<State> state = state_;
  co_await state->drain();
}

Task<void> Recorder::read_outside() {
  const std::shared_ptr<State> state = state_;
  co_await state->read_outside();
}

void Recorder::stop() {
  state_->stopping = true;
  state_->work.notify();
  state_->done.notify();
}

Task<void> Recorder::join() {
  const std::shared_ptr<State> state = state_;
  while (state->running) co_await state->done.wait();
}

RecorderMetrics Recorder::metrics() const {
  RecorderMetrics metrics = state_->metrics;
  metrics.waiting = state_->gathered.objects.size();
  return metrics;
}

const domain::WatchScope& Recorder::scope() const { return state_->options.scope; }

Task<void> Recorder::on_list_begin() {
  const std::shared_ptr<State> state = state_;
  co_await state->drain();
  state->listing = true;
  state->list_is_blind = false;
  state->listed.clear();
  state->listed_names.clear();
}

Task<absl::Status> Recorder::on_item(kube::Received item) {
  const std::shared_ptr<State> state = state_;
  // The items of a typed list carry neither.
  item.object.emplace("kind", "SparkApplication");
  item.object.emplace("apiVersion", "sparkoperator.k8s.io/v1beta2");
  const absl::Status taken = state->take(std::move(item), Seen::kPresent, State::Cursor::kStays);
  WB_CO_TRY(taken);
  co_await state->wait_for_room();
  co_return absl::OkStatus();
}

Task<void> Recorder::on_list_end(std::string resource_version) {
  const std::shared_ptr<State> state = state_;
  co_await state->drain();
  state->listing = false;
  const std::optional<std::uint64_t> version = decimal(resource_version);
  if (state->list_is_blind || !version) {
    state->ports.log.warn("nothing is concluded from what a list lacks: one of its objects can't be told",
                          {{"scope", state->options.scope.text()}, {"version", resource_version}});
  } else {
    co_await state->sweep(*version);
  }
  state->push(std::nullopt, std::nullopt, std::move(resource_version), 0);
  co_await state->drain();
}

Task<absl::Status> Recorder::on_event(kube::WatchEvent event) {
  const std::shared_ptr<State> state = state_;
  const Seen seen = event.type == kube::EventType::kDeleted ? Seen::kDeleted : Seen::kPresent;
  const absl::Status taken = state->take(std::move(event.received), seen, State::Cursor::kMoves);
  WB_CO_TRY(taken);
  co_await state->wait_for_room();
  co_return absl::OkStatus();
}

Task<void> Recorder::on_bookmark(std::string resource_version) {
  state_->push(std::nullopt, std::nullopt, std::move(resource_version), 0);
  co_return;
}

Task<void> Recorder::on_dead_letter(kube::DeadLetter letter) {
  State& state = *state_;
  ++state.metrics.dead_letters;
  const kube::ObjectName& name = letter.name;
  state.ports.log.warn("an object can't be recorded and is put aside", {{"scope", state.options.scope.text()},
                                                                        {"namespace", name.name_space},
                                                                        {"name", name.name},
                                                                        {"reason", letter.reason}});
  if (state.listing) {
    if (!name.uid.empty()) state.listed.insert(name.uid);
    if (!name.name.empty()) state.listed_names.emplace(name.name_space, name.name);
    if (name.uid.empty() && name.name.empty()) state.list_is_blind = true;
  }
  const bool moves = !state.listing && decimal(name.resource_version).has_value();
  state.push(std::nullopt, state.letter_of(letter), moves ? name.resource_version : std::string(), 0);
  co_return;
}

absl::Status Recorder::State::take(kube::Received received, Seen seen, Cursor cursor) {
  ++metrics.events;
  absl::StatusOr<Application> app = read_application(json::value(std::move(received.object)), reading);
  if (absl::IsNotFound(app.status())) return absl::OkStatus();
  WB_TRY(app);
  if (listing) listed.insert(app->uid);
  std::string position = cursor == Cursor::kMoves ? std::to_string(app->version) : "";
  push(SeenObject{.app = *std::move(app), .seen = seen, .now = ports.clock.now()}, std::nullopt,
       std::move(position), received.size);
  return absl::OkStatus();
}

ports::ObjectDeadLetter Recorder::State::letter_of(const kube::DeadLetter& letter) const {
  const kube::ObjectName& name = letter.name;
  std::string subject = name.uid;
  if (subject.empty() && !name.name.empty()) subject = name.name_space + '/' + name.name;
  if (subject.empty()) subject = sha256_hex(letter.excerpt);
  return {.scope = options.scope.text(),
          .subject = std::move(subject),
          .name_space = name.name_space,
          .name = name.name,
          .version = name.resource_version,
          .size = letter.size,
          .reason = letter.reason};
}

void Recorder::State::push(std::optional<SeenObject> object, std::optional<ports::ObjectDeadLetter> letter,
                           std::string cursor, std::size_t bytes) {
  const bool first = gathered.empty();
  if (object) gathered.objects.push_back(*std::move(object));
  if (letter) gathered.letters.push_back(*std::move(letter));
  if (!cursor.empty()) gathered.cursor = std::move(cursor);
  gathered.bytes += bytes;
  if (first || is_full()) work.notify();
}

Task<void> Recorder::State::wait_for_room() {
  while (is_full() && !stopping) co_await done.wait();
}

Task<void> Recorder::State::drain() {
  while ((!gathered.empty() || committing) && !stopping) {
    urgent = true;
    work.notify();
    co_await done.wait();
  }
}

Task<void> Recorder::State::run(std::shared_ptr<State> self) {
  State& state = *self;
  while (!state.stopping) {
    if (state.gathered.empty()) {
      state.urgent = false;
      co_await state.work.wait();
      continue;
    }
    const absl::Time until = state.ports.clock.now() + state.options.batch_time;
    while (!state.urgent && !state.is_full() && !state.stopping && state.ports.clock.now() < until) {
      co_await state.work.wait(state.ports.clock, until - state.ports.clock.now());
    }
    if (state.stopping) co_return;
    Gathered batch = std::exchange(state.gathered, Gathered());
    state.committing = true;
    state.done.notify();  // there is room again
    co_await state.commit(std::move(batch));
    state.committing = false;
    state.done.notify();
  }
}

}  // namespace waybill::history
