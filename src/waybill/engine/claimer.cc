#include "waybill/engine/claimer.h"

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/leases.h"
#include "waybill/engine/runner.h"

namespace waybill::engine {
namespace {

constexpr int kLargestBatch = 256;
constexpr absl::Duration kLongestErrorWait = absl::Seconds(5);

}  // namespace

Claimer::Claimer(EngineParts& parts) : parts_(parts), wake_(parts.io) {}

void Claimer::place_free() {
  if (there_may_be_more_) wake_.notify();
}

Task<void> Claimer::run() {
  const std::shared_ptr<EngineParts> keep = parts_.shared_from_this();
  while (!parts_.stopping && !parts_.halted) {
    const Found found = co_await claim_some();
    if (parts_.stopping || parts_.halted) co_return;
    if (found == Found::kFull) continue;
    absl::Duration wait = parts_.options.poll;
    if (found == Found::kError) {
      error_wait_ = std::clamp(error_wait_ * 2, wait, kLongestErrorWait);
      wait = error_wait_;
    } else {
      error_wait_ = absl::ZeroDuration();
      wait = co_await until_next();
    }
    co_await wake_.wait(parts_.ports.clock, wait);
  }
}

Task<Claimer::Found> Claimer::claim_some() {
  const EngineOptions& options = parts_.options;
  ports::ClaimRequest request;
  request.by = options.instance;
  request.host = options.host;
  request.host_local = std::max(0, options.pool_size - parts_.runner->count(Place::kHostLocal));
  request.remote = remote_places();
  request.running_per_user = options.running_per_user;
  request.note = parts_.note();
  there_may_be_more_ = true;
  if (!parts_.may_start() || (request.host_local == 0 && request.remote == 0)) co_return Found::kNone;
  const int asked_local = request.host_local;
  const int asked_remote = request.remote;
  auto jobs = co_await parts_.ports.jobs.claim(std::move(request));
  // What was claimed while the engine stopped is adopted after the next start.
  if (parts_.halted || parts_.stopping) co_return Found::kNone;
  if (!jobs.ok()) {
    parts_.leases->there_may_be_strays();
    parts_.ports.log.warn("waiting jobs can't be claimed now", {{"error", message(jobs.status())}});
    co_return Found::kError;
  }
  int local = 0;
  int remote = 0;
  for (domain::Job& job : *jobs) {
    ++(job.route.host_local ? local : remote);
    parts_.runner->take(std::move(job), Runner::Took::kClaimed);
  }
  const bool full = (asked_local > 0 && local >= asked_local) || (asked_remote > 0 && remote >= asked_remote);
  there_may_be_more_ = full || asked_local == 0 || asked_remote == 0;
  if (full) co_return Found::kFull;
  co_return local + remote > 0 ? Found::kSome : Found::kNone;
}

// Jobs that wait here for a start call are out of others' reach: few where starts are slow, many where they
// are instant.
int Claimer::remote_places() {
  const int size = parts_.options.pool_size;
  const int waiting = parts_.runner->waiting_for_start();
  batch_ = waiting > 0 ? size : std::clamp(batch_ * 2, size, std::max(size, kLargestBatch));
  const int places = parts_.options.max_remote - parts_.runner->count(Place::kRemote);
  return std::max(0, std::min(places, batch_ - waiting));
}

Task<absl::Duration> Claimer::until_next() {
  const absl::Duration poll = parts_.options.poll;
  auto due = co_await parts_.ports.jobs.next_due();
  if (!due.ok() || !due->has_value()) co_return poll;
  co_return std::clamp(**due - parts_.now(), absl::Milliseconds(1), poll);
}

}  // namespace waybill::engine
