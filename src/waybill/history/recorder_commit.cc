#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/history/recorder_state.h"

// From what was gathered to a transaction. The batch and the decision belong to commit(), which awaits each
// of these at once. NOLINTBEGIN(*-reference-coroutine-parameters)
namespace waybill::history {
namespace {

// Not the batch's fault: the same will do later.
bool is_passing(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) || absl::IsAborted(status) ||
         absl::IsDeadlineExceeded(status) || absl::IsCancelled(status) || absl::IsUnknown(status);
}

std::vector<ports::ObjectKey> keys_of(const std::vector<SeenObject>& objects) {
  std::set<std::string> seen;
  std::vector<ports::ObjectKey> keys;
  for (const SeenObject& object : objects) {
    const Application& app = object.app;
    if (seen.insert(app.uid).second) keys.push_back({app.uid, app.name_space, app.name});
  }
  return keys;
}

}  // namespace

Task<void> Recorder::State::pause(absl::Duration& length, const absl::Status& why) {
  if (length == options.retry_first) {
    ports.log.warn("records wait for the database",
                   {{"scope", options.scope.text()}, {"error", message(why)}});
  }
  ++metrics.retries;
  co_await ports.clock.sleep(length);
  length = std::min(length * 2, options.retry_most);
}

Task<void> Recorder::State::commit(Gathered batch) {
  absl::Duration length = options.retry_first;
  while (!stopping) {
    const absl::Status status = co_await attempt(batch);
    if (status.ok()) {
      ++metrics.batches;
      metrics.committed_at = ports.clock.now();
      co_return;
    }
    if (!is_passing(status)) {
      ports.log.warn("a batch of records was refused and is done one by one",
                     {{"scope", options.scope.text()}, {"error", message(status)}});
      co_await isolate(std::move(batch));
      co_return;
    }
    co_await pause(length, status);
  }
}

Task<absl::Status> Recorder::State::attempt(Gathered& batch) {
  while (true) {
    auto loaded = co_await ports.records.load(options.scope.cluster, keys_of(batch.objects));
    WB_CO_TRY(loaded);
    Decision decision(options.scope.text(), *std::move(loaded), ports.render);
    const absl::Status decided = co_await decide(decision, batch);
    WB_CO_TRY(decided);
    ports::RecordBatch request;
    request.cluster = options.scope.cluster;
    request.objects = decision.writes(request.manifests);
    request.dead_letters = batch.letters;
    if (!batch.cursor.empty()) request.cursor_scope = options.scope;
    request.cursor = batch.cursor;
    request.now = ports.clock.now();
    if (request.objects.empty() && request.dead_letters.empty() && request.cursor.empty())
      co_return absl::OkStatus();
    const auto answer = co_await ports.records.write(std::move(request));
    WB_CO_TRY(answer);
    if (answer->lost.empty()) co_return absl::OkStatus();
    metrics.conflicts += answer->lost.size();
    keep_lost(batch, answer->lost, decision);
  }
}

// Decided anew: the events of the objects that were lost, and those that close one of them by its name.
void Recorder::State::keep_lost(Gathered& batch, const std::vector<std::string>& lost,
                                const Decision& decision) const {
  batch.letters.clear();
  std::erase_if(batch.objects, [&](const SeenObject& object) {
    return std::none_of(lost.begin(), lost.end(), [&](const std::string& uid) {
      const KnownObject* known = decision.find(uid);
      return known != nullptr && known->name == object.app.name && known->name_space == object.app.name_space;
    });
  });
}

Task<absl::Status> Recorder::State::decide(Decision& decision, const Gathered& batch) {
  for (const SeenObject& object : batch.objects) co_await apply(decision, object);
  const auto linked = co_await ports.records.started_by(decision.claims());
  WB_CO_TRY(linked);
  decision.link(*linked);
  co_return absl::OkStatus();
}

Task<void> Recorder::State::apply(Decision& decision, const SeenObject& object) {
  const Application& app = object.app;
  const bool is_known = decision.find(app.uid) != nullptr;
  if (!is_known && !options.selector.matches(app.labels)) co_return;  // R2
  decision.close_namesakes(app, object.now);
  if (!decision.is_news(app, object.seen)) {
    if (object.seen == Seen::kPresent) decision.touch(app.uid);
    co_return;
  }
  const std::string& cluster = options.scope.cluster;
  // A selector's watch also says DELETED of what only left the selection.
  const bool may_be_there = object.seen == Seen::kDeleted && !options.scope.selector.empty() &&
                            ports.objects != nullptr && decision.would_be_open(app, object.now, cluster);
  if (!may_be_there) {
    decision.take(app, object.seen, object.now, cluster);
    co_return;
  }
  const Reading found = co_await read(app.uid, app.name_space, app.name);
  if (found.kind == Reading::kGone) {
    decision.take(app, Seen::kDeleted, object.now, cluster);
    co_return;
  }
  decision.take(app, Seen::kPresent, object.now, cluster);
  if (found.kind == Reading::kThere && decision.is_news(found.app, Seen::kPresent))
    decision.take(found.app, Seen::kPresent, object.now, cluster);
  decision.put_outside(app.uid, decision.find(app.uid)->newest().is_open());
}

Task<void> Recorder::State::isolate(Gathered batch) {
  std::vector<std::string> order;
  for (const ports::ObjectKey& key : keys_of(batch.objects)) order.push_back(key.uid);
  Gathered rest;
  rest.letters = std::move(batch.letters);
  rest.cursor = std::move(batch.cursor);
  for (const std::string& uid : order) {
    Gathered one;
    for (const SeenObject& object : batch.objects) {
      if (object.app.uid == uid) one.objects.push_back(object);
    }
    const Application app = one.objects.back().app;
    absl::Duration length = options.retry_first;
    absl::Status status = co_await attempt(one);
    while (!status.ok() && is_passing(status) && !stopping) {
      co_await pause(length, status);
      status = co_await attempt(one);
    }
    if (stopping) co_return;
    if (status.ok()) continue;
    ++metrics.dead_letters;
    rest.letters.push_back({.scope = options.scope.text(),
                            .subject = uid,
                            .name_space = app.name_space,
                            .name = app.name,
                            .version = std::to_string(app.version),
                            .size = app.manifest.size(),
                            .reason = message(status)});
  }
  absl::Duration length = options.retry_first;
  while (!stopping && !rest.empty()) {
    const absl::Status status = co_await attempt(rest);
    if (status.ok()) co_return;
    if (is_passing(status)) {
      co_await pause(length, status);
      continue;
    }
    // Not even a letter of it can be stored: it is in the log, and the watch goes on.
    ports.log.error("dead letters can't be stored",
                    {{"scope", options.scope.text()}, {"error", message(status)}});
    if (rest.letters.empty()) co_return;
    rest.letters.clear();
  }
}

}  // namespace waybill::history
// NOLINTEND(*-reference-coroutine-parameters)
