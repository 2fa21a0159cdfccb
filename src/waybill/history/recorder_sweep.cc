#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/history/recorder_state.h"

// What a watch doesn't show any more: is it gone, or did it only leave the selection (R12)?
// NOLINTBEGIN(*-reference-coroutine-parameters): awaited at once by who owns what they refer to
namespace waybill::history {
namespace {

constexpr std::size_t kSettled = 200;  // objects of one transaction

}  // namespace

bool Recorder::State::is_listed(const domain::KnownObject& object) const {
  return listed.contains(object.uid) || listed_names.contains({object.name_space, object.name});
}

Task<void> Recorder::State::sweep(std::uint64_t version) {
  absl::Duration length = options.retry_first;
  std::string after;
  while (!stopping) {
    auto page = co_await ports.records.present(options.scope, version, after, options.sweep_page);
    if (!page.ok()) {
      co_await pause(length, page.status());
      continue;
    }
    if (page->empty()) co_return;
    after = page->back().uid;
    std::erase_if(*page, [&](const domain::KnownObject& object) { return is_listed(object); });
    co_await settle(*std::move(page), Why::kMissing);
  }
}

Task<void> Recorder::State::read_outside() {
  std::string after;
  while (!stopping) {
    auto page = co_await ports.records.outside(options.scope, after, kSettled);
    if (!page.ok() || page->empty()) co_return;  // again in a minute
    after = page->back().uid;
    co_await settle(*std::move(page), Why::kOutside);
  }
}

Task<void> Recorder::State::settle(std::vector<domain::KnownObject> objects, Why why) {
  absl::Duration length = options.retry_first;
  for (std::size_t begin = 0; begin < objects.size() && !stopping;) {
    const std::size_t end = std::min(begin + kSettled, objects.size());
    const std::vector<domain::KnownObject> some(objects.begin() + static_cast<std::ptrdiff_t>(begin),
                                                objects.begin() + static_cast<std::ptrdiff_t>(end));
    const absl::Status status = co_await settle_once(some, why);
    if (absl::IsUnavailable(status) || absl::IsResourceExhausted(status)) {
      co_await pause(length, status);
      continue;
    }
    if (!status.ok()) {
      ports.log.error("runs that a watch doesn't show any more can't be closed",
                      {{"scope", options.scope.text()}, {"error", message(status)}});
    }
    begin = end;
  }
}

Task<absl::Status> Recorder::State::settle_once(const std::vector<domain::KnownObject>& objects, Why why) {
  std::vector<ports::ObjectKey> keys;
  for (const domain::KnownObject& object : objects) keys.push_back({object.uid, "", ""});
  auto loaded = co_await ports.records.load(options.scope.cluster, std::move(keys));
  WB_CO_TRY(loaded);
  Decision decision(options.scope.text(), *std::move(loaded), ports.render);
  for (const domain::KnownObject& object : objects) co_await settle_one(decision, object.uid, why);
  ports::RecordBatch request;
  request.cluster = options.scope.cluster;
  request.objects = decision.writes(request.manifests);
  request.now = ports.clock.now();
  if (request.objects.empty()) co_return absl::OkStatus();
  for (const ports::ObjectWrite& write : request.objects) {
    for (const ports::RecordWrite& record : write.records) {
      const bool is_lost = record.tells && record.record.run.reason == domain::RecordReason::kLost;
      if (is_lost) ++metrics.lost;
    }
  }
  // What another watcher changed meanwhile was seen by it: nothing is left to conclude.
  const auto answer = co_await ports.records.write(std::move(request));
  co_return answer.status();
}

Task<void> Recorder::State::settle_one(Decision& decision, std::string uid, Why why) {
  const domain::KnownObject* known = decision.find(uid);
  if (known == nullptr || known->gone || known->scope != options.scope.text()) co_return;
  const absl::Time now = ports.clock.now();
  const bool is_open = !known->records.empty() && known->newest().is_open();
  if (!is_open || ports.objects == nullptr) {
    if (why == Why::kMissing) decision.lose(uid, now);
    if (why == Why::kOutside) decision.put_outside(uid, is_open);
    co_return;
  }
  const Reading found = co_await read(uid, known->name_space, known->name);
  if (found.kind == Reading::kGone) {
    decision.lose(uid, now);
    co_return;
  }
  if (found.kind == Reading::kThere && decision.is_news(found.app, Seen::kPresent))
    decision.take(found.app, Seen::kPresent, now, options.scope.cluster);
  decision.put_outside(uid, decision.find(uid)->newest().is_open());
}

Task<Recorder::State::Reading> Recorder::State::read(std::string uid, std::string name_space,
                                                     std::string name) {
  Reading reading_of;
  auto object = co_await ports.objects->get(std::move(name_space), std::move(name));
  if (absl::IsNotFound(object.status())) {
    reading_of.kind = Reading::kGone;
    co_return reading_of;
  }
  if (!object.ok()) co_return reading_of;
  boost::json::value value = *std::move(object);
  absl::StatusOr<Application> app = read_application(value, reading);
  if (!app.ok()) co_return reading_of;
  reading_of.kind = app->uid == uid ? Reading::kThere : Reading::kGone;
  reading_of.app = *std::move(app);
  co_return reading_of;
}

}  // namespace waybill::history
// NOLINTEND(*-reference-coroutine-parameters)
