#include "waybill/engine/decide.h"

#include <string>
#include <utility>

namespace waybill::engine {

using domain::EndReason;
using domain::JobChange;
using domain::JobStatus;
using ports::RunPhase;

namespace {

const char kTimedOut[] = "it ran longer than its timeout_seconds allow";

JobChange gone(const domain::JobState& state, EndReason why, std::string error,
               const Circumstances& circumstances) {
  if (state.status == JobStatus::kCanceling) return domain::CancelConfirmed{};
  if (circumstances.timed_out) return domain::Ended{EndReason::kTimeout, kTimedOut};
  return attempt_ended(state, why, std::move(error), circumstances);
}

}  // namespace

std::optional<JobChange> change_for(const domain::JobState& state, const ports::Observation& seen,
                                    const Circumstances& circumstances) {
  switch (seen.phase) {
    case RunPhase::kPending:
    case RunPhase::kRunning:
      return std::nullopt;
    case RunPhase::kSucceeded:
      return domain::Finished{true, ""};
    case RunPhase::kFailed:
      if (circumstances.timed_out && state.status != JobStatus::kCanceling) {
        return domain::Ended{EndReason::kTimeout, kTimedOut};
      }
      return domain::Finished{false, seen.error};
    case RunPhase::kEnded: {
      const EndReason why = seen.reason == EndReason::kNone ? EndReason::kLost : seen.reason;
      return gone(state, why, seen.error, circumstances);
    }
    case RunPhase::kUnknown:
      return gone(state, EndReason::kLost, seen.error.empty() ? "its run has disappeared" : seen.error,
                  circumstances);
  }
  return std::nullopt;
}

StartError kind_of_start_error(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
      return StartError::kOwnFailure;
    case absl::StatusCode::kDeadlineExceeded:
      return StartError::kUnknown;
    default:
      return StartError::kTryAgain;
  }
}

JobChange attempt_ended(const domain::JobState& state, EndReason why, std::string error,
                        const Circumstances& circumstances) {
  if (!domain::may_retry(why, state.attempt, circumstances.max_attempts)) {
    return domain::Ended{why, std::move(error)};
  }
  return domain::Requeued{why, circumstances.now + domain::retry_delay(state.attempt), true,
                          std::move(error)};
}

}  // namespace waybill::engine
