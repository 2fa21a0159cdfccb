#include "waybill/engine/janitor.h"

#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace {

constexpr absl::Duration kEvery = absl::Minutes(1);
constexpr std::size_t kBatch = 500;
constexpr std::size_t kEventBatch = 5000;

}  // namespace

Janitor::Janitor(EngineParts& parts) : parts_(parts), wake_(parts.io) {}

Task<void> Janitor::run() {
  const std::shared_ptr<EngineParts> keep = parts_.shared_from_this();
  while (!parts_.stopping && !parts_.halted) {
    co_await wake_.wait(parts_.ports.clock, kEvery);
    if (parts_.stopping || parts_.halted) co_return;
    co_await clean();
  }
}

Task<void> Janitor::clean() {
  co_await expire_jobs();
  if (parts_.halted) co_return;
  co_await bury();
  if (parts_.halted) co_return;
  co_await sweep_orphans();
  if (parts_.halted) co_return;
  const absl::Status keys = co_await parts_.ports.jobs.expire_idempotency_keys();
  if (parts_.halted || parts_.options.event_retention <= absl::ZeroDuration()) co_return;
  const absl::Time events_before = parts_.now() - parts_.options.event_retention;
  const absl::Status events = co_await parts_.ports.events.expire(events_before, kEventBatch);
  for (const absl::Status& status : {keys, events}) {
    if (!status.ok()) parts_.ports.log.warn("what is old can't be removed", {{"error", message(status)}});
  }
}

Task<void> Janitor::expire_jobs() {
  if (parts_.options.retention <= absl::ZeroDuration()) co_return;
  const absl::Time before = parts_.now() - parts_.options.retention;
  for (;;) {
    auto expired = co_await parts_.ports.jobs.expire(before, kBatch);
    if (!expired.ok()) {
      parts_.ports.log.warn("old jobs can't be removed", {{"error", message(expired.status())}});
      co_return;
    }
    if (expired->size() < kBatch || parts_.stopping || parts_.halted) co_return;
  }
}

Task<void> Janitor::bury() {
  for (;;) {
    auto dead = co_await parts_.ports.jobs.tombstones(kBatch);
    if (!dead.ok() || dead->empty() || parts_.stopping || parts_.halted) co_return;
    const bool full = dead->size() >= kBatch;
    std::vector<JobId> gone;
    for (const JobId& id : *dead) {
      const bool removed = co_await remove_files(id);
      if (parts_.halted) co_return;
      if (removed) gone.push_back(id);
    }
    if (gone.empty()) co_return;
    const absl::Status forgotten = co_await parts_.ports.jobs.forget(std::move(gone));
    if (!forgotten.ok() || !full) co_return;
  }
}

Task<bool> Janitor::remove_files(JobId id) {
  const absl::Status logs = co_await parts_.ports.logs.remove(id);
  const absl::Status result = co_await parts_.ports.results.remove(id);
  if (logs.ok() && result.ok()) co_return true;
  parts_.ports.log.warn("files of an old job can't be removed",
                        {{"job", id.str()}, {"error", message(logs.ok() ? result : logs)}});
  co_return false;
}

Task<void> Janitor::sweep_orphans() {
  JobId after;
  for (;;) {
    auto found = co_await parts_.ports.logs.jobs_with_files(after, kBatch);
    if (!found.ok() || found->empty() || parts_.stopping || parts_.halted) co_return;
    after = found->back();
    const bool full = found->size() >= kBatch;
    auto unknown = co_await parts_.ports.jobs.unknown_of(*std::move(found));
    if (!unknown.ok() || parts_.halted) co_return;
    for (const JobId& id : *unknown) {
      const bool removed = co_await remove_files(id);
      static_cast<void>(removed);  // found again by the next sweep
      if (parts_.halted) co_return;
    }
    if (!full) co_return;
  }
}

}  // namespace waybill::engine
