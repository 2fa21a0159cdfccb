#include "waybill/engine/runner.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/engine/claimer.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {

using domain::JobStatus;

namespace {

constexpr absl::Duration kTryPlanAgain = absl::Seconds(1);

}  // namespace

Runner::Runner(EngineParts& parts) : parts_(parts), writer_(parts), timer_changed_(parts.io) {}

void Runner::take(domain::Job job, Took how) {
  const auto known = jobs_.find(job.id);
  if (known != jobs_.end()) {
    if (how != Took::kClaimed) {
      if (how == Took::kReserved) give_back_sync();
      changed(job);
      return;
    }
    retire(known->second);
  }
  auto live = std::make_shared<LiveJob>();
  live->place = job.route.is_sync ? Place::kSync : job.route.host_local ? Place::kHostLocal : Place::kRemote;
  live->job = std::move(job);
  live->adopted = how == Took::kAdopted;
  if (how != Took::kReserved) ++places(live->place);
  const JobId id = live->job.id;
  jobs_[id] = std::move(live);
  poke(id);
}

// A claimed job was NEW: whatever an earlier life of it still does here (it was queued again by a write whose
// answer was lost) must not touch the new one.
void Runner::retire(LiveJobPtr live) {
  live->gone = true;
  if (live->busy) {
    jobs_.erase(live->job.id);  // the rest when its coroutine ends
  } else {
    remove(live);
  }
}

int& Runner::places(Place place) {
  return place == Place::kHostLocal ? host_local_ : place == Place::kRemote ? remote_ : sync_;
}

int Runner::count(Place place) const {
  return place == Place::kHostLocal ? host_local_ : place == Place::kRemote ? remote_ : sync_;
}

LiveJobPtr Runner::find(const JobId& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

void Runner::poke(const JobId& id) {
  const LiveJobPtr live = find(id);
  if (!live || live->gone || parts_.stopping) return;
  if (live->busy) {
    live->again = true;
    return;
  }
  live->busy = true;
  unschedule(live);
  // Posted, so that a poke from anywhere never runs a step inside its caller.
  boost::asio::post(parts_.io, [self = parts_.shared_from_this(), live] {
    if (!self->halted) self->spawn(self->runner->work(live), "run job");
  });
}

void Runner::nudge(const JobId& id) {
  if (const LiveJobPtr live = find(id)) live->interval = absl::ZeroDuration();
  poke(id);
}

void Runner::changed(const domain::Job& job) {
  const LiveJobPtr live = find(job.id);
  if (!live || job.state.epoch < live->job.state.epoch) return;
  live->job = job;
  ++live->changes;
  act_on_cancel(live);
}

void Runner::cancel_noticed(const JobId& id) {
  const LiveJobPtr live = find(id);
  if (!live || live->job.state.status == JobStatus::kCanceling) return;
  parts_.spawn(refresh_and_cancel(live), "cancel job");
}

void Runner::act_on_cancel(const LiveJobPtr& live) {
  const domain::JobState& state = live->job.state;
  if (state.status == JobStatus::kCanceling && !state.handle.empty() && live->request && live->busy) {
    parts_.spawn(tell_cancel(live), "cancel job");  // does not wait for the look in progress
  }
  poke(live->job.id);
}

void Runner::all_may_be_stale() {
  for (const auto& [id, live] : jobs_) live->stale = true;
}

Task<void> Runner::work(LiveJobPtr live) {
  do {
    live->again = false;
    co_await look(live);
    if (parts_.halted) co_return;
  } while (live->again && !live->gone && !parts_.stopping);
  live->busy = false;
  if (live->gone) {
    remove(live);
  } else {
    schedule(live);
  }
}

Task<void> Runner::look(LiveJobPtr live) {
  if (live->stale) {
    live->stale = false;
    const Written read = co_await writer_.read_again(live);
    if (read == Written::kLost) abandon(live);
    if (read != Written::kChanged) co_return;
  }
  switch (live->job.state.status) {
    case JobStatus::kAccepted:
      co_await start(live);
      break;
    case JobStatus::kRunning:
    case JobStatus::kCanceling:
      co_await follow(live);
      break;
    case JobStatus::kNew:  // given back
      live->gone = true;
      break;
    default:  // ended by somebody else: a cancel before its start, or a host that was given up
      abandon(live);
      settled(live, nullptr);
      break;
  }
}

Task<absl::Status> Runner::prepare(LiveJobPtr live) {
  if (!live->plan) {
    auto plan = co_await parts_.plans->of(live->job.route);
    if (!plan.ok()) co_return plan.status();
    live->plan = *std::move(plan);
    if (live->plan->executor != nullptr) {
      live->interval = live->plan->executor->traits().poll_min;
    }
  }
  if (live->plan->executor == nullptr) {
    co_return absl::NotFoundError("the plugin " + live->job.route.plugin + " is not known to this server");
  }
  if (!live->request) {
    auto request = co_await parts_.plans->request(live->plan, live->job);
    if (!request.ok()) co_return request.status();
    live->request = *std::move(request);
  }
  co_return absl::OkStatus();
}

void Runner::schedule(const LiveJobPtr& live) {
  if (live->queued || parts_.stopping) return;  // woken when there is a place
  const auto limit =
      live->plan && live->plan->executor ? live->plan->executor->traits().poll_max : kTryPlanAgain;
  const auto least =
      live->plan && live->plan->executor ? live->plan->executor->traits().poll_min : kTryPlanAgain;
  live->interval = std::clamp(live->interval, least, std::max(least, limit));
  live->due = parts_.now() + live->interval;
  live->interval = live->interval * 3 / 2;
  const domain::Job& job = live->job;
  if (job.state.status == JobStatus::kRunning && job.spec.timeout > absl::ZeroDuration() &&
      !live->timed_out) {
    live->due = std::min(live->due, job.state.started_at + job.spec.timeout);
  }
  timers_.emplace(live->due, job.id);
  if (timers_.begin()->second == job.id) timer_changed_.notify();
}

void Runner::unschedule(const LiveJobPtr& live) { timers_.erase({live->due, live->job.id}); }

void Runner::remove(const LiveJobPtr& live) {
  unschedule(live);
  give_start_slot(live);
  if (find(live->job.id) == live) jobs_.erase(live->job.id);
  --places(live->place);
  parts_.claimer->place_free();
}

Task<void> Runner::run_timers() {
  const std::shared_ptr<EngineParts> keep = parts_.shared_from_this();
  while (!parts_.halted && !parts_.stopping) {
    const absl::Time now = parts_.now();
    std::vector<JobId> due;
    while (!timers_.empty() && timers_.begin()->first <= now) {
      due.push_back(timers_.begin()->second);
      timers_.erase(timers_.begin());
    }
    for (const JobId& id : due) poke(id);
    if (timers_.empty()) {
      co_await timer_changed_.wait();
    } else {
      co_await timer_changed_.wait(parts_.ports.clock, timers_.begin()->first - now);
    }
  }
}

bool Runner::reserve_sync() {
  if (sync_ >= parts_.options.sync_size) return false;
  ++sync_;
  return true;
}

void Runner::give_back_sync() { --sync_; }

}  // namespace waybill::engine
