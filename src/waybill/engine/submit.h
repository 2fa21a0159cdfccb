#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/domain/job.h"
#include "waybill/domain/result_table.h"

namespace waybill::engine {

struct EngineParts;

struct SubmitRequest {
  domain::JobSpec spec;         // user is overwritten by the caller
  std::string idempotency_key;  // "" : none
};

struct Submitted {
  domain::Job job;  // async: as stored. Sync: as it ended (an error status says how it failed)
  bool is_new = true;
  std::shared_ptr<const domain::ResultTable> result;  // sync only
};

// Takes jobs in. A known idempotency key answers what it made first; else the order of checks is: limits,
// routing, allowed_callers, the executor's context keys. Errors: InvalidArgument (what a job can't be); word
// "no_route" (422); PermissionDenied; FailedPrecondition "idempotency_conflict"; ResourceExhausted (429);
// Unavailable. A sync job that failed: word "job_failed", with the job's id as payload (see job_id_of()).
class Submitter {
 public:
  explicit Submitter(std::shared_ptr<EngineParts> parts);

  Task<absl::StatusOr<Submitted>> submit(SubmitRequest request, domain::Caller caller);
  // POST /jobs: one transaction; answers in order. `idempotency_key` covers the whole. Sync commands are
  // refused.
  Task<absl::StatusOr<std::vector<absl::StatusOr<Submitted>>>> submit_all(std::vector<domain::JobSpec> specs,
                                                                          bool atomic,
                                                                          std::string idempotency_key,
                                                                          domain::Caller caller);
  // A new job with the same request; `context` replaces the old one's. Owner or admin.
  Task<absl::StatusOr<Submitted>> rerun(JobId id, std::optional<boost::json::object> context,
                                        domain::Caller caller, std::string idempotency_key);

 private:
  std::shared_ptr<EngineParts> parts_;
};

// The job that an error speaks of (word "job_failed"); empty if none.
[[nodiscard]] JobId job_id_of(const absl::Status& status);

}  // namespace waybill::engine
