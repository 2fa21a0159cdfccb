#pragma once

#include <absl/time/time.h>

#include <optional>

#include "waybill/domain/job_state.h"
#include "waybill/ports/executor.h"

// What follows from what an executor said. Pure.
namespace waybill::engine {

struct Circumstances {
  int max_attempts = 1;
  bool timed_out = false;  // the executor was told to end it because its time was up
  absl::Time now;
};

// The change that an observation brings to a job that is RUNNING or CANCELING; nullopt while the run goes on.
[[nodiscard]] std::optional<domain::JobChange> change_for(const domain::JobState& state,
                                                          const ports::Observation& seen,
                                                          const Circumstances& circumstances);

enum class StartError {
  kOwnFailure,  // the job can never run like this: FAILED
  kTryAgain,    // nothing was started: the next attempt, or KILLED start_failed
  kUnknown,     // nobody knows whether it runs
};
[[nodiscard]] StartError kind_of_start_error(const absl::Status& status);

// The change for an attempt that ended from outside: the next attempt, if there is one left, or the end.
[[nodiscard]] domain::JobChange attempt_ended(const domain::JobState& state, domain::EndReason why,
                                              std::string error, const Circumstances& circumstances);

}  // namespace waybill::engine
