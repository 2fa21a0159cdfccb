#include "waybill/domain/job_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"

namespace waybill::domain {
namespace {

absl::Status refused(const JobState& state, std::string_view change) {
  return error(absl::StatusCode::kFailedPrecondition, is_final(state.status) ? "already_final" : "conflict",
               fmt::format("a job that is {} can't be {}", to_string(state.status), change));
}

JobState ended(JobState state, JobStatus status, absl::Time now) {
  state.status = status;
  state.owner = InstanceId();
  state.finished_at = now;
  state.not_before = absl::InfinitePast();
  return state;
}

// What was asked for with the cancel has happened: however the run ended, the job is CANCELED.
JobState canceled(JobState state, absl::Time now) {
  state.reason = EndReason::kNone;
  state.error.clear();
  return ended(std::move(state), JobStatus::kCanceled, now);
}

struct Step {
  const JobState& from;
  absl::Time now;

  absl::StatusOr<JobState> operator()(const Leased& change) const {
    if (is_final(from.status)) return refused(from, "leased");
    JobState to = from;
    if (from.status == JobStatus::kNew) to.status = JobStatus::kAccepted;
    to.owner = change.by;
    to.host = change.host;
    to.epoch = from.epoch + 1;
    return to;
  }

  absl::StatusOr<JobState> operator()(const StartCalled&) const {
    if (from.status != JobStatus::kAccepted) return refused(from, "about to start");
    JobState to = from;
    to.started_at = now;
    return to;
  }

  absl::StatusOr<JobState> operator()(const Started& change) const {
    const bool waited_for = from.status == JobStatus::kCanceling && from.handle.empty();
    if (from.status != JobStatus::kAccepted && !waited_for) return refused(from, "started");
    JobState to = from;
    if (!waited_for) to.status = JobStatus::kRunning;
    to.handle = change.handle;
    to.started_at = now;
    to.reason = EndReason::kNone;
    to.error.clear();
    return to;
  }

  absl::StatusOr<JobState> operator()(const Finished& change) const {
    if (from.status == JobStatus::kCanceling && !change.succeeded) return canceled(from, now);
    if (from.status != JobStatus::kAccepted && from.status != JobStatus::kRunning &&
        from.status != JobStatus::kCanceling) {
      return refused(from, "finished");
    }
    JobState to = from;
    if (to.started_at == absl::InfinitePast()) to.started_at = now;
    to.reason = EndReason::kNone;
    to.error = change.succeeded ? "" : change.error;
    return ended(std::move(to), change.succeeded ? JobStatus::kSucceeded : JobStatus::kFailed, now);
  }

  absl::StatusOr<JobState> operator()(const CancelRequested& change) const {
    if (is_final(from.status)) return refused(from, "canceled");
    if (from.status == JobStatus::kCanceling) return from;
    JobState to = from;
    to.canceled_by = change.by;
    const bool may_run = from.status == JobStatus::kRunning || change.start_in_progress;
    if (from.status == JobStatus::kNew || !may_run) return canceled(std::move(to), now);
    to.status = JobStatus::kCanceling;
    return to;
  }

  absl::StatusOr<JobState> operator()(const CancelConfirmed&) const {
    if (from.status != JobStatus::kCanceling) return refused(from, "confirmed as canceled");
    return canceled(from, now);
  }

  absl::StatusOr<JobState> operator()(const Ended& change) const {
    if (is_final(from.status)) return refused(from, "killed");
    if (from.status == JobStatus::kCanceling) return canceled(from, now);
    JobState to = from;
    to.reason = change.why;
    to.error = change.error;
    return ended(std::move(to), JobStatus::kKilled, now);
  }

  absl::StatusOr<JobState> operator()(const Requeued& change) const {
    if (from.status != JobStatus::kAccepted && from.status != JobStatus::kRunning) {
      return refused(from, "queued again");
    }
    JobState to = from;
    to.status = JobStatus::kNew;
    if (change.next_attempt) ++to.attempt;
    to.owner = InstanceId();
    to.host.clear();
    to.handle.clear();
    to.started_at = absl::InfinitePast();
    to.not_before = change.not_before;
    to.reason = change.why;
    to.error = change.error;
    return to;
  }
};

}  // namespace

absl::StatusOr<JobState> apply(const JobState& state, const JobChange& change, absl::Time now) {
  return std::visit(Step{state, now}, change);
}

bool may_retry(EndReason why, int attempt, int max_attempts) {
  switch (why) {
    case EndReason::kLost:
    case EndReason::kNodeGone:
    case EndReason::kHostLost:
    case EndReason::kStartFailed:
      return attempt < max_attempts;
    case EndReason::kNone:
    case EndReason::kTimeout:
    case EndReason::kDeleted:
    case EndReason::kStartUnknown:
    case EndReason::kCommandRemoved:
      return false;
  }
  return false;
}

absl::Duration retry_delay(int attempt) {
  constexpr int kDoublings = 6;  // 64 s is past the limit
  const int doublings = std::clamp(attempt - 1, 0, kDoublings);
  return std::min(absl::Seconds(1) * (1 << doublings), absl::Seconds(60));
}

}  // namespace waybill::domain
