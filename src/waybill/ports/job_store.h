#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/job.h"

namespace waybill::ports {

// A submit's key. The same caller and key within its time answers the jobs it made first; with another
// endpoint or hash: FailedPrecondition, word "idempotency_conflict".
struct IdempotencyKey {
  std::string caller;
  std::string key;
  std::string endpoint;      // "POST /job", …
  std::string request_hash;  // SHA-256 of the canonical effective request
  absl::Duration keep;
};

// What made a job's transition; a row of its history and of GET /events.
struct TransitionNote {
  std::string actor;     // a caller, or "waybill"
  std::string instance;  // who wrote it
};

struct NewJob {
  domain::Job job;  // NEW; or ACCEPTED and leased (sync)
  TransitionNote note;
};

struct Inserted {
  domain::Job job;
  bool is_new = true;  // false: the key knew it; `job` is the one made first, as it is now
};

// One change of a job by compare-and-set: written only if the row still has `expected_status` and
// `expected_epoch`. Fields that are nullopt stay. State, attempt row, attributes and the event are one
// transaction.
struct JobWrite {
  JobId id;
  domain::JobStatus expected_status = domain::JobStatus::kNew;
  domain::LeaseEpoch expected_epoch = 0;
  domain::JobState state;  // from domain::apply(); an unchanged status writes no event
  std::optional<domain::Attributes> attributes;
  std::optional<domain::AttributeErrors> attribute_errors;
  std::optional<domain::Outputs> kept_outputs;  // only where keep_outputs is on
  std::optional<boost::json::value>
      result_info;  // metadata of a stored result: {"columns":[…],"rows":n,"bytes":n}
  TransitionNote note;
};

// What an instance can take now.
struct ClaimRequest {
  InstanceId by;
  std::string host;
  int host_local = 0;        // free places for jobs of host-local executors
  int remote = 0;            // free places for the others
  int running_per_user = 0;  // 0: unlimited; counted over all instances
  TransitionNote note;
};

// A directory of files that an instance works with. The id lies in the directory: another path with the same
// id is the same directory.
struct SharedDirectory {
  std::string setting;  // "jobs_directory"
  std::string path;
  std::string id;
};

struct Instance {
  InstanceId id;
  std::string host;
  std::vector<std::string> roles;
  std::string version;
  std::vector<SharedDirectory> directories;  // empty: it works with none (any more)
};

enum class JobOrder { kCreatedAt, kId, kUpdatedAt, kName, kStatus, kDuration };

// rest.md, GET /jobs. Patterns are SQL LIKE, case-sensitive, with '\' as escape.
struct JobFilter {
  std::optional<std::string> id, username, name, version, command, cluster;
  std::vector<domain::JobStatus> statuses;  // empty: any
  std::vector<std::string> tags;            // all must match; system tags included
  std::optional<absl::Time> from, to;       // created_at, from <= t < to
  std::optional<absl::Time> finished_from, finished_to;
  std::optional<absl::Duration> min_duration, max_duration;
  std::string q;  // words, each in name, tags or id
};

struct PageRequest {
  JobOrder order = JobOrder::kCreatedAt;
  bool descending = true;
  std::size_t limit = 101;
  std::string cursor = {};  // "" : the first page. Of another order or damaged: InvalidArgument "invalid
                            // pagination cursor"
};

struct JobPage {
  std::vector<domain::Job> jobs;
  std::string next_cursor;  // "" : this was the last page
};

// One step of a job's life, as GET /job/{id}/events shows it.
struct JobTransition {
  absl::Time at;
  std::optional<domain::JobStatus> from;  // nullopt: the submit
  domain::JobStatus to = domain::JobStatus::kNew;
  domain::EndReason reason = domain::EndReason::kNone;
  std::string actor;
  std::string instance;
  int attempt = 1;
};

// Jobs and all that belongs to one. Errors: NotFound, Aborted (compare-and-set lost), FailedPrecondition,
// InvalidArgument, ResourceExhausted (queue full, or a per-user limit), Unavailable (the database is away).
class JobStore {
 public:
  virtual ~JobStore() = default;

  // Group commit: concurrent calls share transactions; answers after the commit. `queued_per_user` (0: none)
  // refuses with ResourceExhausted when the user has that many NEW jobs.
  virtual Task<absl::StatusOr<Inserted>> insert(NewJob job, std::optional<IdempotencyKey> key,
                                                int queued_per_user) = 0;
  // One transaction; one answer per job in order. `atomic`: all or none (the errors say which were at fault).
  virtual Task<absl::StatusOr<std::vector<absl::StatusOr<Inserted>>>> insert_all(
      std::vector<NewJob> jobs, bool atomic, std::optional<IdempotencyKey> key, int queued_per_user) = 0;

  // The jobs that this key made first, as they are now, in the order of their request; FailedPrecondition
  // "job_expired" for one that retention has removed. Empty: the key is not known. FailedPrecondition as
  // insert(), for another endpoint or hash.
  virtual Task<absl::StatusOr<std::vector<absl::StatusOr<domain::Job>>>> made_by(IdempotencyKey key) = 0;

  // Takes due NEW jobs in the queue's order: ACCEPTED, owner, epoch + 1, host where host-local. Another
  // instance skips them. Jobs that were canceled, or wait (not_before), are left.
  virtual Task<absl::StatusOr<std::vector<domain::Job>>> claim(ClaimRequest request) = 0;

  // Aborted if another write came first: read again and decide anew. Group commit, as insert.
  virtual Task<absl::StatusOr<domain::Job>> write(JobWrite write) = 0;

  virtual Task<absl::StatusOr<domain::Job>> get(JobId id) = 0;  // one statement, no joins
  virtual Task<absl::StatusOr<JobPage>> list(JobFilter filter, PageRequest page) = 0;
  virtual Task<absl::StatusOr<std::vector<JobTransition>>> transitions(JobId id) = 0;
  virtual Task<absl::StatusOr<std::vector<domain::Attempt>>> attempts(JobId id) = 0;
  virtual Task<absl::StatusOr<std::optional<boost::json::value>>> result_info(JobId id) = 0;
  virtual Task<absl::StatusOr<domain::Outputs>> kept_outputs(JobId id) = 0;

  // Leases. heartbeat() upserts the instance's row with the database's time; a job's lease is as old as its
  // owner's heartbeat.
  virtual Task<absl::Status> heartbeat(Instance instance) = 0;
  // The instances that were heard of within `lease`, in the order of their ids.
  virtual Task<absl::StatusOr<std::vector<Instance>>> instances(absl::Duration lease) = 0;
  // All live jobs (ACCEPTED, RUNNING, CANCELING) that `by` owns: after a restart, and to find lost notices.
  virtual Task<absl::StatusOr<std::vector<domain::Job>>> owned_by(InstanceId by) = 0;
  // Live jobs whose owner has not been heard of for `lease`. Host-local ones are shown to their own host
  // only.
  virtual Task<absl::StatusOr<std::vector<domain::Job>>> orphans(InstanceId by, std::string host,
                                                                 absl::Duration lease, std::size_t limit) = 0;
  // Host-local live jobs of other hosts whose owner has been away for longer than `away`.
  virtual Task<absl::StatusOr<std::vector<domain::Job>>> lost_hosts(std::string host, absl::Duration away,
                                                                    std::size_t limit) = 0;

  // When the next NEW job becomes due (not_before), if there is one in the future.
  virtual Task<absl::StatusOr<std::optional<absl::Time>>> next_due() = 0;
  // How many NEW jobs are before this one in the queue (0: it is next).
  virtual Task<absl::StatusOr<std::size_t>> place_in_queue(JobId id) = 0;

  // Retention: removes final jobs that ended before `before` with all their side rows, keeping a tombstone
  // until forget(); answers their ids, at most `limit`, oldest first. A job that is not final is never
  // touched.
  virtual Task<absl::StatusOr<std::vector<JobId>>> expire(absl::Time before, std::size_t limit) = 0;
  virtual Task<absl::StatusOr<std::vector<JobId>>> tombstones(
      std::size_t limit) = 0;                                     // files still to be removed
  virtual Task<absl::Status> forget(std::vector<JobId> ids) = 0;  // their files are gone
  virtual Task<absl::StatusOr<std::vector<JobId>>> unknown_of(
      std::vector<JobId> ids) = 0;  // which have no row
  virtual Task<absl::Status> expire_idempotency_keys() = 0;
};

}  // namespace waybill::ports
