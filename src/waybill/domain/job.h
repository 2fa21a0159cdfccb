#pragma once

#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/domain/attribute.h"

namespace waybill::domain {

// The ids are those of the REST API.
enum class JobStatus { kNew = 1, kAccepted, kRunning, kFailed, kKilled, kSucceeded, kCanceling, kCanceled };

[[nodiscard]] std::string_view to_string(JobStatus status);                      // "NEW", …
[[nodiscard]] std::optional<JobStatus> parse_job_status(std::string_view word);  // exact upper-case word
[[nodiscard]] bool is_final(JobStatus status);

// Why a job ended from outside; the words of `status_reason`.
enum class EndReason {
  kNone,
  kTimeout,
  kLost,
  kHostLost,
  kNodeGone,
  kDeleted,
  kStartUnknown,
  kCommandRemoved,
  kStartFailed
};
[[nodiscard]] std::string_view to_string(EndReason reason);  // "timeout", …; "" for kNone
[[nodiscard]] std::optional<EndReason> parse_end_reason(std::string_view word);

// What an executor needs to find a run again. Opaque to everyone else; empty: none yet.
using ExecutorHandle = std::string;
// Raised by each lease taken; a write that carries an older one is refused.
using LeaseEpoch = std::int64_t;

// What was asked for; never changes after the submit. Strings are clean UTF-8.
struct JobSpec {
  std::string name;
  std::string version;
  std::string description;
  std::string user;                            // the caller
  std::vector<std::string> tags;               // sorted by bytes, no doubles, without system tags
  std::optional<boost::json::object> context;  // nullopt: was not sent
  std::optional<std::vector<std::string>>
      command_criteria;  // sorted, no doubles; nullopt (null) matches nothing
  std::optional<std::vector<std::string>> cluster_criteria;
  bool store_result_sync = false;
  std::string queue;  // a label; "" is the default queue
  int priority = 0;   // -100 … 100, higher first
  absl::Duration timeout =
      absl::ZeroDuration();  // 0: none (of the job; the command's is merged in at submit)
  int max_attempts = 1;
  std::string idempotency_key;  // "" : none
  JobId rerun_of;               // the job this is a rerun of
};

// Where it was sent; fixed at submit. The revisions are keys of catalog_revisions and say which text of the
// config (contexts, templates) counts for this job to its end.
struct JobRoute {
  CommandId command_id;
  std::string command_name;
  ClusterId cluster_id;
  std::string cluster_name;
  std::string plugin;
  bool is_sync = false;
  bool host_local = false;  // the executor's: only the host that started it can see its runs
  std::string command_revision;
  std::string cluster_revision;
};

// What changes over its life. Only domain::apply() makes a new one.
struct JobState {
  JobStatus status = JobStatus::kNew;
  int attempt = 1;  // from 1
  LeaseEpoch epoch = 0;
  InstanceId owner;       // who leases it; empty in NEW and final states
  std::string host;       // of host-local executors: where the attempt lives
  ExecutorHandle handle;  // of the current attempt
  EndReason reason = EndReason::kNone;
  std::string error;  // of the last end
  std::string canceled_by;
  absl::Time not_before = absl::InfinitePast();   // NEW: not claimed earlier
  absl::Time started_at = absl::InfinitePast();   // of the current attempt; InfinitePast: not started
  absl::Time finished_at = absl::InfinitePast();  // InfinitePast: not final
};

struct Job {
  JobId id;
  JobSpec spec;
  JobRoute route;
  JobState state;
  Attributes attributes;             // rendered so far
  AttributeErrors attribute_errors;  // label -> message
  absl::Time created_at;
  absl::Time updated_at;
  std::vector<RecordId> record_ids;
  bool has_result = false;
};

// One run of a job; the last is the current one.
struct Attempt {
  int number = 1;
  ClusterId cluster_id;
  ExecutorHandle handle;
  absl::Time started_at = absl::InfinitePast();
  absl::Time finished_at = absl::InfinitePast();
  JobStatus status = JobStatus::kAccepted;
  EndReason reason = EndReason::kNone;
  std::string error;
};

// `_id:…`, `_name:…`, `_version:…` and the object's own tags, sorted by bytes.
[[nodiscard]] std::vector<std::string> with_system_tags(std::string_view id, std::string_view name,
                                                        std::string_view version,
                                                        const std::vector<std::string>& own);
// Trimmed of nothing, sorted by bytes, doubles dropped: how Heimdall keeps tags and criteria.
[[nodiscard]] std::vector<std::string> sorted_unique(std::vector<std::string> words);

}  // namespace waybill::domain
