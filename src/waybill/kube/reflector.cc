#include "waybill/kube/reflector.h"

#include <fmt/format.h>

#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/list_reader.h"
#include "waybill/kube/reflector_state.h"

namespace waybill::kube {
namespace {

constexpr int kBadRequest = 400, kUnprocessable = 422;

}  // namespace

Reflector::Reflector(boost::asio::any_io_executor io, Api& api, ports::Clock& clock, Log& log,
                     ReflectorOptions options, WatchSink& sink)
    : state_(std::make_shared<State>(std::move(io), api, clock, log, std::move(options), sink)) {}

Reflector::~Reflector() = default;

Task<void> Reflector::run() {
  const std::shared_ptr<State> state = state_;
  co_await State::run(state);
}

void Reflector::stop() {
  state_->stopping = true;
  state_->interrupt();
}

void Reflector::list_again() {
  if (state_->stopping) return;
  state_->list_wanted = true;
  state_->interrupt();
}

const ReflectorMetrics& Reflector::metrics() const { return state_->metrics; }

Reflector::State::State(boost::asio::any_io_executor on, Api& where, ports::Clock& time, Log& to,
                        ReflectorOptions how, WatchSink& into)
    : io(std::move(on)),
      api(where),
      kept(where.weak_from_this().lock()),
      clock(time),
      log(to),
      options(std::move(how)),
      sink(into),
      backoff(options.times, options.seed),
      position(options.start_at),
      wake(io) {
  metrics.last_heard = clock.now();
  metrics.last_bookmark = absl::InfinitePast();
  metrics.synced = !position.empty();
}

std::string Reflector::State::name() const {
  return to_string(options.listing.resource) +
         (options.listing.name_space.empty() ? "" : " in " + options.listing.name_space);
}

void Reflector::State::interrupt() {
  if (reader != nullptr) reader->cancel();
  if (watch != nullptr) watch->stream->cancel();
  if (question != nullptr) question->cancel();
  wake.notify();
}

void Reflector::State::note(const absl::Status& problem) {
  if (problem.ok()) {
    if (!metrics.last_error.ok()) log.info("the watch goes on", {{"watch", name()}});
    metrics.last_error = problem;
    return;
  }
  ++metrics.errors;
  if (metrics.last_error != problem)
    log.warn("the watch is disturbed", {{"watch", name()}, {"problem", message(problem)}});
  metrics.last_error = problem;
  metrics.last_error_at = clock.now();
}

void Reflector::State::lose_position() {
  position.clear();
  metrics.synced = false;
  ++metrics.relists;
}

Task<void> Reflector::State::run(std::shared_ptr<State> self) {
  while (!self->stopping) {
    if (std::exchange(self->list_wanted, false)) self->lose_position();
    const absl::Status ended = co_await step(self);
    if (self->stopping) break;
    co_await after(self, ended);
  }
  self->metrics.state = ReflectorMetrics::State::kStopped;
}

Task<absl::Status> Reflector::State::step(std::shared_ptr<State> self) {
  if (self->position.empty()) {
    self->in_doubt = false;
    const bool plain = std::exchange(self->plain_next, false) || self->streaming_refused;
    const bool streaming = self->options.streaming_lists && !plain;
    if (streaming) co_return co_await watch_once(self, true);
    const absl::Status listed = co_await list_once(self);
    if (!listed.ok()) co_return listed;
  }
  if (self->in_doubt) {
    const absl::Status known = co_await ask_for_position(self);
    if (!known.ok()) co_return known;
    self->in_doubt = false;
  }
  co_return co_await watch_once(self, false);
}

Task<absl::Status> Reflector::State::list_once(std::shared_ptr<State> self) {
  self->metrics.state = ReflectorMetrics::State::kListing;
  ++self->metrics.lists;
  ListReader::Options how;
  how.object_limit = self->options.object_limit;
  how.silence = self->options.times.list_silence;
  self->reader = std::make_shared<ListReader>(self->api, self->options.listing, how);
  const std::shared_ptr<ListReader> list = self->reader;
  co_await self->sink.on_list_begin();
  absl::Status ended;
  while (true) {
    absl::StatusOr<std::optional<Received>> item = co_await list->next();
    if (self->stopping || self->list_wanted) break;
    self->metrics.last_heard = self->clock.now();
    if (!item.ok() && is_throttled(item.status())) {
      // The page is asked for once more; what came of the list so far stays good.
      self->note(item.status());
      co_await self->pause(self->backoff.throttled(item.status()));
      if (self->stopping || self->list_wanted) break;
      self->metrics.state = ReflectorMetrics::State::kListing;
      continue;
    }
    ended = item.status();
    if (!ended.ok() || !*item) break;
    co_await take_item(self, **std::move(item));
  }
  self->reader = nullptr;
  if (!ended.ok() || self->stopping || self->list_wanted) co_return ended.ok() ? interrupted() : ended;
  self->position = list->resource_version();
  self->metrics.synced = true;
  co_await self->sink.on_list_end(self->position);
  co_return absl::OkStatus();
}

// A server whose store was set back to an older state would just be silent until its versions have caught up.
// A list that must not be older than the position makes it say so.
Task<absl::Status> Reflector::State::ask_for_position(std::shared_ptr<State> self) {
  ApiRequest request;
  request.path = collection_path(self->options.listing.resource, self->options.listing.name_space);
  request.query = selection(self->options.listing);
  request.query.emplace_back("limit", "1");
  request.query.emplace_back("resourceVersion", self->position);
  request.query.emplace_back("resourceVersionMatch", "NotOlderThan");
  request.silence = self->options.times.list_silence;
  const auto stream = std::make_shared<std::unique_ptr<ByteStream>>(self->api.open(std::move(request)));
  self->question = stream->get();
  absl::StatusOr<std::string> first = co_await (*stream)->read();
  self->question = nullptr;
  co_return first.status();
}

Task<void> Reflector::State::take_item(std::shared_ptr<State> self, Received item) {
  if (item.dead_letter) {
    co_await put_aside(self, *std::move(item.dead_letter));
    co_return;
  }
  DeadLetter letter;
  letter.name = name_of(item.object);
  letter.type = "LISTED";
  letter.size = item.size;
  const absl::Status taken = co_await self->sink.on_item(std::move(item));
  if (taken.ok()) co_return;
  letter.reason = message(taken);
  co_await put_aside(self, std::move(letter));
}

Task<void> Reflector::State::put_aside(std::shared_ptr<State> self, DeadLetter letter) {
  ++self->metrics.dead_letters;
  self->log.warn("an object was put aside", {{"watch", self->name()},
                                             {"namespace", letter.name.name_space},
                                             {"name", letter.name.name},
                                             {"reason", letter.reason}});
  co_await self->sink.on_dead_letter(std::move(letter));
}

Task<void> Reflector::State::pause(absl::Duration duration) {
  metrics.state = ReflectorMetrics::State::kWaiting;
  co_await wake.wait(clock, duration);
}

// What follows from how a list or a watch ended.
Task<void> Reflector::State::after(std::shared_ptr<State> self, absl::Status ended) {
  if (self->list_wanted) co_return;
  const Ending ending = self->judge(ended);
  if (!ended.ok()) self->note(ended);
  if (ending.lost) self->lose_position();
  if (ending.wait > absl::ZeroDuration()) co_await self->pause(ending.wait);
}

Reflector::State::Ending Reflector::State::judge(const absl::Status& ended) {
  const WatchFacts facts = std::exchange(last_watch, {});
  if (facts.lasted >= options.times.healthy_after) backoff.reset();
  const bool was_short = facts.lasted < options.times.suspect_watch;
  if (facts.events > 0 || !was_short) suspects = 0;

  if (is_throttled(ended)) return {backoff.throttled(ended), false};
  if (!ended.ok() && facts.streaming) {
    plain_next = true;
    const auto refusal = api_error(ended);
    if (!refusal) return {backoff.next(), false};
    streaming_refused = refusal->http == kBadRequest || refusal->http == kUnprocessable;
    return {streaming_refused ? absl::ZeroDuration() : backoff.next(), false};
  }
  if (const bool lost = is_position_lost(ended); lost)
    return {was_short ? backoff.next() : absl::ZeroDuration(), !position.empty()};
  if (!ended.ok()) {
    in_doubt = in_doubt || !api_error(ended).has_value();
    return {backoff.next(), false};
  }
  // The end of a watch is normal, but a server that ends all of them at once is not.
  if (!was_short) return {};
  if (facts.events == 0 && ++suspects >= options.suspect_watches) {
    suspects = 0;
    return {backoff.next(), true};
  }
  return {backoff.next(), false};
}

}  // namespace waybill::kube
