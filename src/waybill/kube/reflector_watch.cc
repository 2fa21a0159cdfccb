#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/reflector_state.h"

// One watch of a reflector.
namespace waybill::kube {
namespace {

constexpr int kGone = 410, kBadRequest = 400, kUnprocessable = 422;

absl::Status went_back() {
  return error(absl::StatusCode::kOutOfRange, "expired",
               "the server's versions went back: its store was restored");
}

// Of the objects that such a list has given already one is gone again. A plain list is of one moment.
absl::Status deleted_in_list() {
  return unavailable("an object was deleted while the list of it was streamed");
}

}  // namespace

// The position is of no use any more: forgotten, refused as no version, or ahead of the server's store.
bool Reflector::State::is_position_lost(const absl::Status& ended) {
  if (ended.ok()) return false;
  if (absl::IsOutOfRange(ended)) return true;
  const auto error = api_error(ended);
  if (!error) return false;
  return error->version_too_large || error->http == kGone || error->reason == "Expired" ||
         error->http == kBadRequest || error->http == kUnprocessable;
}

ApiRequest Reflector::State::watch_request(bool streaming, absl::Duration timeout) const {
  ApiRequest request;
  request.path = collection_path(options.listing.resource, options.listing.name_space);
  request.query = selection(options.listing);
  request.query.emplace_back("watch", "1");
  request.query.emplace_back("allowWatchBookmarks", "true");
  request.query.emplace_back("timeoutSeconds", std::to_string(absl::ToInt64Seconds(timeout)));
  if (streaming) {
    request.query.emplace_back("sendInitialEvents", "true");
    request.query.emplace_back("resourceVersionMatch", "NotOlderThan");
  } else {
    request.query.emplace_back("resourceVersion", position);
  }
  request.silence = absl::InfiniteDuration();  // the watchdog is its guard
  return request;
}

Task<absl::Status> Reflector::State::watch_once(std::shared_ptr<State> self, bool streaming) {
  const absl::Time begun = self->clock.now();
  const absl::Duration timeout = self->backoff.watch_timeout();
  const auto watch = std::make_shared<OpenWatch>(self->io);
  watch->lasts = timeout;
  watch->in_list = streaming;
  watch->patience =
      streaming ? self->options.times.initial_events : timeout + self->options.times.watchdog_slack;
  watch->stream = self->api.open(self->watch_request(streaming, timeout));
  self->watch = watch;
  self->metrics.state = streaming ? ReflectorMetrics::State::kListing : ReflectorMetrics::State::kWatching;
  ++self->metrics.watches;
  if (streaming) ++self->metrics.lists;
  auto rethrow = [](std::exception_ptr problem) {
    if (problem) std::rethrow_exception(problem);
  };
  boost::asio::co_spawn(self->io, guard(self, watch), rethrow);
  if (streaming) co_await self->sink.on_list_begin();

  const std::uint64_t before = self->metrics.events + self->metrics.bookmarks;
  self->log.debug("a watch begins",
                  {{"watch", self->name()}, {"position", streaming ? "list" : self->position}});
  absl::Status ended = co_await follow(self, watch);
  watch->over = true;
  watch->changed.notify();
  self->watch = nullptr;
  self->last_watch = {self->clock.now() - begun, self->metrics.events + self->metrics.bookmarks - before,
                      watch->in_list};
  if (watch->silent) {
    ++self->metrics.watchdog_ends;
    ended = unavailable("the connection was silent for too long");
  } else if (ended.ok() && watch->in_list) {
    ended = unavailable("the server ended a list before its end");
  }
  co_return ended;
}

Task<absl::Status> Reflector::State::follow(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch) {
  LineSplitter lines(self->options.object_limit);
  while (true) {
    const std::optional<Piece> piece = lines.next();
    if (piece) {
      WatchLine line = read_watch_line(*piece);
      const absl::Status taken = co_await take_line(self, watch, std::move(line));
      if (!taken.ok()) co_return taken;
      if (self->stopping || self->list_wanted) co_return interrupted();
      continue;
    }
    watch->reading_since = self->clock.now();
    absl::StatusOr<std::string> bytes = co_await watch->stream->read();
    watch->reading_since = absl::InfiniteFuture();
    if (!bytes.ok()) co_return bytes.status();
    if (bytes->empty()) co_return absl::OkStatus();
    lines.feed(*std::move(bytes));
  }
}

Task<absl::Status> Reflector::State::take_line(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch,
                                               WatchLine line) {
  if (line.kind == WatchLine::Kind::kError) co_return line.error;
  self->metrics.last_heard = self->clock.now();
  self->note(absl::OkStatus());
  if (line.kind == WatchLine::Kind::kBookmark) co_return co_await take_bookmark(self, watch, std::move(line));
  ++self->metrics.events;
  // The first events of a streaming list come in no order: their versions are no positions.
  const std::string reached = watch->in_list ? "" : line.version;
  if (line.kind == WatchLine::Kind::kDeadLetter) {
    co_await put_aside(self, *std::move(line.received.dead_letter));
  } else if (watch->in_list) {
    if (line.type == EventType::kDeleted) co_return deleted_in_list();
    co_await take_item(self, std::move(line.received));
  } else {
    co_await take_event(self, std::move(line));
  }
  if (!reached.empty()) self->position = reached;
  co_return absl::OkStatus();
}

Task<absl::Status> Reflector::State::take_bookmark(std::shared_ptr<State> self,
                                                   std::shared_ptr<OpenWatch> watch, WatchLine line) {
  ++self->metrics.bookmarks;
  self->metrics.last_bookmark = self->clock.now();
  if (watch->in_list) {
    if (!line.initial_events_end) co_return absl::OkStatus();
    watch->in_list = false;
    watch->patience = watch->lasts + self->options.times.watchdog_slack;
    watch->changed.notify();
    self->metrics.state = ReflectorMetrics::State::kWatching;
    self->metrics.synced = true;
    self->position = line.version;
    co_await self->sink.on_list_end(line.version);
    co_return absl::OkStatus();
  }
  if (is_lower_version(line.version, self->position)) co_return went_back();
  self->position = line.version;
  co_await self->sink.on_bookmark(line.version);
  co_return absl::OkStatus();
}

Task<void> Reflector::State::take_event(std::shared_ptr<State> self, WatchLine line) {
  DeadLetter letter;
  letter.name = name_of(line.received.object);
  letter.type = line.type_word;
  letter.size = line.received.size;
  const std::optional<absl::Time> written = line.received.written;
  WatchEvent event;
  event.type = line.type;
  event.received = std::move(line.received);
  const absl::Status taken = co_await self->sink.on_event(std::move(event));
  if (written) self->metrics.event_lag = std::max(absl::ZeroDuration(), self->clock.now() - *written);
  if (taken.ok()) co_return;
  letter.reason = message(taken);
  co_await put_aside(self, std::move(letter));
}

// Ends a watch that has been silent for longer than it was asked to last.
Task<void> Reflector::State::guard(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch) {
  while (!watch->over && !self->stopping) {
    const absl::Time now = self->clock.now();
    const absl::Time due = std::min(watch->reading_since, now) + watch->patience;
    if (now >= due) {
      watch->silent = true;
      watch->stream->cancel();
      co_return;
    }
    co_await watch->changed.wait(self->clock, due - now);
  }
}

}  // namespace waybill::kube
