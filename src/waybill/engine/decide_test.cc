#include "waybill/engine/decide.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::engine {
namespace {

using domain::EndReason;
using domain::JobStatus;
using ports::RunPhase;

const absl::Time kNow = absl::FromUnixSeconds(1'780'000'000);

domain::JobState in(JobStatus status) {
  domain::JobState state;
  state.status = status;
  state.handle = "run";
  state.started_at = kNow;
  return state;
}

// What becomes of a job, as "STATUS reason".
std::string outcome(JobStatus from, RunPhase phase, EndReason reason, bool timed_out, int attempts) {
  ports::Observation seen;
  seen.phase = phase;
  seen.reason = reason;
  seen.error = "e";
  const auto change =
      change_for(in(from), seen, {.max_attempts = attempts, .timed_out = timed_out, .now = kNow});
  if (!change) return "goes on";
  const auto next = domain::apply(in(from), *change, kNow);
  if (!next.ok()) return message(next.status());
  return std::string(to_string(next->status)) + " " + std::string(to_string(next->reason));
}

TEST(Decide, WhatAnObservationMeans) {
  const struct {
    JobStatus from;
    RunPhase phase;
    EndReason reason;
    bool timed_out;
    int attempts;
    std::string expected;
  } rows[] = {
      {JobStatus::kRunning, RunPhase::kPending, EndReason::kNone, false, 1, "goes on"},
      {JobStatus::kRunning, RunPhase::kRunning, EndReason::kNone, true, 1, "goes on"},
      {JobStatus::kCanceling, RunPhase::kRunning, EndReason::kNone, false, 1, "goes on"},
      {JobStatus::kRunning, RunPhase::kSucceeded, EndReason::kNone, false, 1, "SUCCEEDED "},
      {JobStatus::kRunning, RunPhase::kSucceeded, EndReason::kNone, true, 1, "SUCCEEDED "},
      {JobStatus::kCanceling, RunPhase::kSucceeded, EndReason::kNone, false, 1, "SUCCEEDED "},
      {JobStatus::kRunning, RunPhase::kFailed, EndReason::kNone, false, 3, "FAILED "},
      {JobStatus::kRunning, RunPhase::kFailed, EndReason::kNone, true, 3, "KILLED timeout"},
      {JobStatus::kCanceling, RunPhase::kFailed, EndReason::kNone, true, 3, "CANCELED "},
      {JobStatus::kRunning, RunPhase::kEnded, EndReason::kNodeGone, false, 1, "KILLED node_gone"},
      {JobStatus::kRunning, RunPhase::kEnded, EndReason::kNodeGone, false, 2, "NEW node_gone"},
      {JobStatus::kRunning, RunPhase::kEnded, EndReason::kNodeGone, true, 2, "KILLED timeout"},
      {JobStatus::kRunning, RunPhase::kEnded, EndReason::kDeleted, false, 2, "KILLED deleted"},
      {JobStatus::kRunning, RunPhase::kEnded, EndReason::kNone, false, 2, "NEW lost"},
      {JobStatus::kCanceling, RunPhase::kEnded, EndReason::kDeleted, false, 2, "CANCELED "},
      {JobStatus::kRunning, RunPhase::kUnknown, EndReason::kNone, false, 1, "KILLED lost"},
      {JobStatus::kRunning, RunPhase::kUnknown, EndReason::kNone, false, 2, "NEW lost"},
      {JobStatus::kCanceling, RunPhase::kUnknown, EndReason::kNone, false, 2, "CANCELED "},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(outcome(row.from, row.phase, row.reason, row.timed_out, row.attempts), row.expected)
        << to_string(row.from) << " phase " << static_cast<int>(row.phase);
  }
}

TEST(Decide, WhichErrorsOfAStartAreWhose) {
  const std::vector<std::pair<absl::Status, StartError>> rows = {
      {invalid("x"), StartError::kOwnFailure},
      {not_found("x"), StartError::kOwnFailure},
      {denied("x"), StartError::kOwnFailure},
      {conflict("x"), StartError::kOwnFailure},
      {unavailable("x"), StartError::kTryAgain},
      {absl::InternalError("x"), StartError::kTryAgain},
      {absl::ResourceExhaustedError("x"), StartError::kTryAgain},
      {absl::DeadlineExceededError("x"), StartError::kUnknown}};
  for (const auto& [status, kind] : rows) EXPECT_EQ(kind_of_start_error(status), kind) << status;
}

TEST(Decide, TheNextAttemptWaits) {
  domain::JobState state = in(JobStatus::kRunning);
  state.attempt = 3;
  const domain::JobChange change =
      attempt_ended(state, EndReason::kLost, "gone", {.max_attempts = 5, .now = kNow});
  const auto* again = std::get_if<domain::Requeued>(&change);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->not_before, kNow + absl::Seconds(4));
  EXPECT_EQ(again->error, "gone");
}

}  // namespace
}  // namespace waybill::engine
