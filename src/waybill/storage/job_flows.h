#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <memory>
#include <optional>
#include <vector>

#include "waybill/ports/job_store.h"
#include "waybill/storage/flow.h"

// What writes jobs, each as a part of a group's transaction. See ports/job_store.h for what they mean.
namespace waybill::storage {

struct InsertRequest {
  std::vector<ports::NewJob> jobs;
  bool atomic = true;
  std::optional<ports::IdempotencyKey> key;
  int queued_per_user = 0;
  absl::Time now;  // the caller's clock, at the call
};
using InsertAnswers = std::vector<absl::StatusOr<ports::Inserted>>;

struct WriteRequest {
  ports::JobWrite write;
  absl::Time now;
};

struct ExpireRequest {
  absl::Time before;
  std::size_t limit = 0;
};

// The parameters are shared so that they outlive the coroutine and serve a second try.
Flow<absl::StatusOr<InsertAnswers>> insert_flow(Batch& batch, std::shared_ptr<const InsertRequest> request);
Flow<absl::StatusOr<domain::Job>> write_flow(Batch& batch, std::shared_ptr<const WriteRequest> request);
Flow<absl::StatusOr<std::vector<domain::Job>>> claim_flow(Batch& batch,
                                                          std::shared_ptr<const ports::ClaimRequest> request);
Flow<absl::StatusOr<std::vector<JobId>>> expire_flow(Batch& batch,
                                                     std::shared_ptr<const ExpireRequest> request);

// The event row of a job's transition.
[[nodiscard]] Call event_call(Batch& batch, const domain::Job& job, std::optional<domain::JobStatus> from,
                              const ports::TransitionNote& note);

}  // namespace waybill::storage
