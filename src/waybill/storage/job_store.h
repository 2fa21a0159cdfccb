#pragma once

#include "waybill/ports/clock.h"
#include "waybill/ports/job_store.h"
#include "waybill/storage/job_lookups.h"
#include "waybill/storage/queries.h"
#include "waybill/storage/reader.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

// The jobs in a database; the same for SQLite and PostgreSQL. Calls may come from any thread.
class SqlJobStore : public ports::JobStore {
 public:
  SqlJobStore(Writer& writer, Reader& reader, const Queries& queries, const ports::Clock& clock)
      : writer_(writer),
        reader_(reader),
        lookups_(std::make_shared<JobLookups>(reader)),
        queries_(queries),
        clock_(clock) {}

  Task<absl::StatusOr<ports::Inserted>> insert(ports::NewJob job, std::optional<ports::IdempotencyKey> key,
                                               int queued_per_user) override;
  Task<absl::StatusOr<std::vector<absl::StatusOr<ports::Inserted>>>> insert_all(
      std::vector<ports::NewJob> jobs, bool atomic, std::optional<ports::IdempotencyKey> key,
      int queued_per_user) override;
  Task<absl::StatusOr<std::vector<absl::StatusOr<domain::Job>>>> made_by(ports::IdempotencyKey key) override;
  Task<absl::StatusOr<std::vector<domain::Job>>> claim(ports::ClaimRequest request) override;
  Task<absl::StatusOr<domain::Job>> write(ports::JobWrite write) override;

  Task<absl::StatusOr<domain::Job>> get(JobId id) override;
  Task<absl::StatusOr<ports::JobPage>> list(ports::JobFilter filter, ports::PageRequest page) override;
  Task<absl::StatusOr<std::vector<ports::JobTransition>>> transitions(JobId id) override;
  Task<absl::StatusOr<std::vector<domain::Attempt>>> attempts(JobId id) override;
  Task<absl::StatusOr<std::optional<boost::json::value>>> result_info(JobId id) override;
  Task<absl::StatusOr<domain::Outputs>> kept_outputs(JobId id) override;

  Task<absl::Status> heartbeat(ports::Instance instance) override;
  Task<absl::StatusOr<std::vector<ports::Instance>>> instances(absl::Duration lease) override;
  Task<absl::StatusOr<std::vector<domain::Job>>> owned_by(InstanceId by) override;
  Task<absl::StatusOr<std::vector<domain::Job>>> orphans(InstanceId by, std::string host,
                                                         absl::Duration lease, std::size_t limit) override;
  Task<absl::StatusOr<std::vector<domain::Job>>> lost_hosts(std::string host, absl::Duration away,
                                                            std::size_t limit) override;
  Task<absl::StatusOr<std::optional<absl::Time>>> next_due() override;
  Task<absl::StatusOr<std::size_t>> place_in_queue(JobId id) override;

  Task<absl::StatusOr<std::vector<JobId>>> expire(absl::Time before, std::size_t limit) override;
  Task<absl::StatusOr<std::vector<JobId>>> tombstones(std::size_t limit) override;
  Task<absl::Status> forget(std::vector<JobId> ids) override;
  Task<absl::StatusOr<std::vector<JobId>>> unknown_of(std::vector<JobId> ids) override;
  Task<absl::Status> expire_idempotency_keys() override;

 private:
  Task<absl::StatusOr<Rows>> read(Call call);
  Task<absl::StatusOr<std::vector<domain::Job>>> read_jobs(Call call);
  Task<absl::StatusOr<std::vector<JobId>>> read_ids(Call call);

  Writer& writer_;
  Reader& reader_;
  std::shared_ptr<JobLookups> lookups_;
  const Queries& queries_;
  const ports::Clock& clock_;
};

}  // namespace waybill::storage
