#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <string>
#include <variant>

#include "waybill/domain/job.h"

// The life of a job as a value. All changes of status in the program go through apply(); nothing else decides
// one. The rules are those of docs/life_of_a_job.md.
namespace waybill::domain {

// An instance took it: NEW -> ACCEPTED, or an adoption (any live state stays, the epoch is raised).
struct Leased {
  InstanceId by;
  std::string host;  // only kept for host-local executors
};
// A start is about to be called whose repetition is not safe: ACCEPTED stays, started_at says that from here
// on a run may exist, so that a crash before the handle is stored can be told from one before the start.
struct StartCalled {};
// ACCEPTED -> RUNNING. The handle is stored before anything else happens. A CANCELING job whose start was in
// progress keeps its state and gets the handle.
struct Started {
  ExecutorHandle handle;
};
struct Finished {  // as the executor saw it; from ACCEPTED (start brought the outcome), RUNNING or CANCELING
  bool succeeded = false;
  std::string error;
};
struct CancelRequested {  // NEW -> CANCELED; ACCEPTED without a start -> CANCELED; RUNNING -> CANCELING;
                          // again: no change
  std::string by;
  bool start_in_progress = false;  // ACCEPTED whose start was called: CANCELING, as if RUNNING
};
struct CancelConfirmed {};  // CANCELING -> CANCELED
struct Ended {              // from outside: any live state -> KILLED (CANCELING -> CANCELED)
  EndReason why = EndReason::kLost;
  std::string error;
};
struct Requeued {  // RUNNING or ACCEPTED -> NEW; attempt + 1, or the same attempt if it never started
  EndReason why = EndReason::kLost;
  absl::Time not_before;
  bool next_attempt = true;
  std::string error;
};
using JobChange =
    std::variant<Leased, StartCalled, Started, Finished, CancelRequested, CancelConfirmed, Ended, Requeued>;

// The state after `change` at `now`. FailedPrecondition naming the state and the change if the table of the
// life of a job has no such step; a final state accepts nothing.
[[nodiscard]] absl::StatusOr<JobState> apply(const JobState& state, const JobChange& change, absl::Time now);

// Whether another attempt follows an end for this reason.
[[nodiscard]] bool may_retry(EndReason why, int attempt, int max_attempts);
// How long attempt number `attempt` + 1 waits: 1 s doubling to 60 s.
[[nodiscard]] absl::Duration retry_delay(int attempt);

}  // namespace waybill::domain
