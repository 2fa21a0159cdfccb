#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/runner.h"

// While it runs: observing, outputs, timeouts and cancels.
namespace waybill::engine {

using domain::JobStatus;
using ports::RunPhase;

Task<void> Runner::follow(LiveJobPtr live) {
  if (live->job.state.handle.empty()) {
    co_await follow_without_handle(live);
    co_return;
  }
  const absl::Status ready = co_await prepare(live);
  if (parts_.halted) co_return;
  if (absl::IsUnavailable(ready)) co_return;
  if (!ready.ok()) {
    // Not the run's fault, and it may well go on: kept until a server that knows it looks at it.
    parts_.ports.log.error("a job can't be followed",
                           {{"job", live->job.id.str()}, {"error", message(ready)}});
    co_return;
  }
  live->run = live->job.state.handle;
  if (time_is_up(*live)) live->timed_out = true;
  const bool ending = live->timed_out || live->job.state.status == JobStatus::kCanceling;
  if (ending) {
    co_await tell_cancel(live);
    live->interval = absl::ZeroDuration();
  }
  if (parts_.halted || live->gone) co_return;
  auto call = live->plan->executor->observe(live->request, live->job.state.handle);
  auto seen =
      co_await with_deadline(parts_.io, parts_.ports.clock, parts_.options.call_limit, std::move(call));
  if (parts_.halted) co_return;
  if (!seen.ok()) {
    parts_.ports.log.warn("a job can't be observed now",
                          {{"job", live->job.id.str()}, {"error", message(seen.status())}});
    co_return;
  }
  if (seen->phase == RunPhase::kPending || seen->phase == RunPhase::kRunning) {
    co_await note_outputs(live, std::move(seen->outputs));
  } else {
    co_await end(live, *std::move(seen), std::nullopt);
  }
}

// CANCELING, and no handle was stored: the cancel came while its start was, or may have been, in progress.
Task<void> Runner::follow_without_handle(LiveJobPtr live) {
  if (live->job.state.status != JobStatus::kCanceling) co_return;
  const absl::Status ready = co_await prepare(live);
  if (parts_.halted || absl::IsUnavailable(ready)) co_return;
  const bool may_run = live->adopted || live->start_called;
  const bool repeatable = ready.ok() && live->plan->executor->traits().restartable_start;
  if (!may_run || !repeatable) {
    co_await end_with(live, domain::CancelConfirmed{});
    co_return;
  }
  // Only a start by the same name tells where the run is that must be ended.
  if (take_start_slot(live)) co_await call_start(live);
}

bool Runner::time_is_up(const LiveJob& live) const {
  const domain::Job& job = live.job;
  return job.state.status == JobStatus::kRunning && job.spec.timeout > absl::ZeroDuration() &&
         parts_.now() >= job.state.started_at + job.spec.timeout;
}

Task<void> Runner::tell_cancel(LiveJobPtr live) {
  if (live->telling_cancel) co_return;
  live->telling_cancel = true;
  auto call = live->plan->executor->cancel(live->request, live->job.state.handle);
  const absl::Status told =
      co_await with_deadline(parts_.io, parts_.ports.clock, parts_.options.call_limit, std::move(call));
  live->telling_cancel = false;
  if (!told.ok() && !parts_.halted) {
    parts_.ports.log.warn("a cancel could not be passed on; it is tried again",
                          {{"job", live->job.id.str()}, {"error", message(told)}});
  }
}

Task<void> Runner::refresh_and_cancel(LiveJobPtr live) {
  auto job = co_await parts_.ports.jobs.get(live->job.id);
  if (parts_.halted || live->gone) co_return;
  if (!job.ok()) {
    live->stale = true;
    poke(live->job.id);
    co_return;
  }
  if (job->state.epoch == live->job.state.epoch && job->state.status == JobStatus::kCanceling) {
    changed(*job);
  } else {
    live->stale = true;
    poke(live->job.id);
  }
}

// Renders what changed and stores it; nothing is written where nothing is new.
Task<void> Runner::note_outputs(LiveJobPtr live, domain::Outputs outputs) {
  const bool first = live->job.attributes.empty() && live->job.attribute_errors.empty();
  if (!first && outputs == live->outputs) co_return;
  const bool new_outputs = outputs != live->outputs;
  live->outputs = std::move(outputs);
  live->observed = true;
  Extras extras = co_await extras_for(live, live->job.state);
  if (parts_.halted) co_return;
  const bool same = (!extras.attributes || *extras.attributes == live->job.attributes) &&
                    (!extras.attribute_errors || *extras.attribute_errors == live->job.attribute_errors);
  if (same && !(new_outputs && extras.kept_outputs)) co_return;
  const Written written = co_await writer_.commit(live, live->job.state, std::move(extras));
  live->again = live->again || written == Written::kChanged;
  if (written == Written::kLost) abandon(live);
}

}  // namespace waybill::engine
