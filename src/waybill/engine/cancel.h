#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <utility>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/domain/job.h"
#include "waybill/ports/job_store.h"

namespace waybill::engine {

struct EngineParts;

// Ends jobs on request. Owner or admin. Final: FailedPrecondition "already_final"; unknown: NotFound.
class Canceler {
 public:
  explicit Canceler(std::shared_ptr<EngineParts> parts);
  // The job as it is after: CANCELED (it had not started) or CANCELING.
  Task<absl::StatusOr<domain::Job>> cancel(JobId id, domain::Caller caller);
  Task<std::vector<std::pair<JobId, absl::StatusOr<domain::Job>>>> cancel_all(std::vector<JobId> ids,
                                                                              domain::Caller caller);
  // All live jobs that match, at most 10,000.
  Task<absl::StatusOr<std::vector<std::pair<JobId, absl::StatusOr<domain::Job>>>>> cancel_matching(
      ports::JobFilter filter, domain::Caller caller);

 private:
  std::shared_ptr<EngineParts> parts_;
};

}  // namespace waybill::engine
