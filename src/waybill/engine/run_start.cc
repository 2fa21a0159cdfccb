#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/runner.h"

// From ACCEPTED to RUNNING.
namespace waybill::engine {

using domain::EndReason;
using domain::JobStatus;

namespace {

constexpr int kMostUnknownStarts = 3;

}  // namespace

Task<void> Runner::start(LiveJobPtr live) {
  if (live->cancel_pending) co_return;  // looked at again once it is decided
  if (!live->adopted && is_removed(live->job.route)) {
    const domain::Ended removed{EndReason::kCommandRemoved, "its command or cluster was deleted"};
    co_await end_with(live, removed);
    co_return;
  }
  if (!take_start_slot(live)) co_return;
  const absl::Status ready = co_await prepare(live);
  if (parts_.halted) co_return;
  if (absl::IsUnavailable(ready)) {
    give_start_slot(live);
    co_return;  // the timer looks again
  }
  if (!ready.ok()) {
    co_await start_failed(live, ready);
    co_return;
  }
  const bool repeatable = live->plan->executor->traits().restartable_start;
  const bool may_run_already = live->job.state.started_at != absl::InfinitePast() && !live->start_called;
  if (!repeatable && may_run_already) {
    const domain::Ended unknown{
        EndReason::kStartUnknown,
        "the server went away while it was being started: nobody knows whether it ran"};
    co_await end_with(live, unknown);
    co_return;
  }
  co_await call_start(live);
}

Task<void> Runner::call_start(LiveJobPtr live) {
  ports::Executor& executor = *live->plan->executor;
  if (!parts_.may_start() || live->cancel_pending) {
    give_start_slot(live);
    co_return;
  }
  live->start_called = true;
  if (!executor.traits().restartable_start) {
    auto marked = domain::apply(live->job.state, domain::StartCalled{}, parts_.now());
    if (!marked.ok()) {
      give_start_slot(live);
      co_return;
    }
    const Written written = co_await writer_.commit(live, *std::move(marked), Extras());
    if (written != Written::kWritten || live->job.state.status != JobStatus::kAccepted) {
      live->start_called = false;
      live->gone = written == Written::kLost;
      live->again = written != Written::kStopped;
      give_start_slot(live);
      co_return;
    }
  }
  ++start_calls_;
  auto call = executor.start(live->request);
  auto started =
      co_await with_deadline(parts_.io, parts_.ports.clock, parts_.options.start_limit, std::move(call));
  --start_calls_;
  parts_.settled.notify();
  if (parts_.halted) co_return;
  give_start_slot(live);
  if (started.ok()) {
    co_await record_start(live, *std::move(started));
  } else {
    co_await start_failed(live, started.status());
  }
}

Task<void> Runner::record_start(LiveJobPtr live, ports::StartResult started) {
  live->run = started.handle;
  if (started.outcome && started.outcome->phase != ports::RunPhase::kPending &&
      started.outcome->phase != ports::RunPhase::kRunning) {
    // RUNNING and the end are one commit.
    co_await end(live, *std::move(started.outcome), started.handle);
    co_return;
  }
  for (;;) {
    auto next = domain::apply(live->job.state, domain::Started{started.handle}, parts_.now());
    if (!next.ok()) break;  // stored by a write whose answer was lost, or ended meanwhile
    const Written written = co_await writer_.commit(live, *std::move(next), Extras());
    if (written == Written::kChanged) continue;
    if (written == Written::kStopped) co_return;
    if (written == Written::kLost) {
      abandon(live);
      co_return;
    }
    break;
  }
  live->again = live->again || live->job.state.status != JobStatus::kRunning;
  if (live->job.state.status == JobStatus::kRunning) {
    domain::Outputs outputs;
    if (started.outcome) outputs = std::move(started.outcome->outputs);
    co_await note_outputs(live, std::move(outputs));
  }
}

Task<void> Runner::start_failed(LiveJobPtr live, absl::Status why) {
  give_start_slot(live);
  parts_.ports.log.warn("a job could not be started", {{"job", live->job.id.str()}, {"error", message(why)}});
  const bool repeatable =
      !live->plan || live->plan->executor == nullptr || live->plan->executor->traits().restartable_start;
  const StartError kind = kind_of_start_error(why);
  const bool to_be_ended =
      live->job.state.status == JobStatus::kCanceling;  // by a start that only looks for it
  const bool try_same = kind == StartError::kUnknown || (to_be_ended && kind == StartError::kTryAgain);
  if (try_same && repeatable && ++live->start_tries < kMostUnknownStarts) {
    live->interval = domain::retry_delay(live->start_tries);
    co_return;  // the same start again: it finds a run that is there
  }
  if (kind == StartError::kUnknown) {
    const domain::Ended unknown{EndReason::kStartUnknown, "its start was never answered: " + message(why)};
    co_await end_with(live, unknown);
  } else if (kind == StartError::kOwnFailure) {
    const domain::Finished failed{false, message(why)};
    co_await end_with(live, failed);
  } else {
    auto next = attempt_ended(live->job.state, EndReason::kStartFailed, message(why), circumstances(*live));
    co_await end_with(live, std::move(next));
  }
}

// Start calls of remote jobs are bounded by pool.size; the others are bounded by their own places.
bool Runner::take_start_slot(const LiveJobPtr& live) {
  if (live->place != Place::kRemote || live->has_slot) return true;
  if (slots_taken_ < parts_.options.pool_size) {
    ++slots_taken_;
    live->has_slot = true;
    return true;
  }
  if (!live->queued) {
    live->queued = true;
    waiting_.push_back(live);
  }
  return false;
}

void Runner::give_start_slot(const LiveJobPtr& live) {
  if (!live->has_slot) return;
  live->has_slot = false;
  --slots_taken_;
  fill_start_slots();
}

void Runner::fill_start_slots() {
  while (!waiting_.empty() && slots_taken_ < parts_.options.pool_size) {
    const LiveJobPtr next = waiting_.front();
    waiting_.pop_front();
    next->queued = false;
    if (next->gone) continue;
    ++slots_taken_;
    next->has_slot = true;
    poke(next->job.id);
  }
}

bool Runner::is_removed(const domain::JobRoute& route) const {
  const domain::Catalog& now = *parts_.catalog->current;
  const auto command = now.commands.find(route.command_id);
  const auto cluster = now.clusters.find(route.cluster_id);
  return (command != now.commands.end() && command->second->status == domain::EntryStatus::kDeleted) ||
         (cluster != now.clusters.end() && cluster->second->status == domain::EntryStatus::kDeleted);
}

}  // namespace waybill::engine
