#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/job.h"

namespace waybill::ports {

struct JobStatsRequest {
  absl::Time from, to;                                // by finished_at
  absl::Duration bucket;                              // whole hours
  std::optional<std::string> user, command, cluster;  // exact
  std::vector<domain::JobStatus> statuses;
};

struct StatsBucket {
  absl::Time start;
  std::map<domain::JobStatus, std::int64_t> counts;
  std::optional<absl::Duration> p50, p95;  // of started -> finished; from a histogram, exact to 10 %
};

class StatsStore {
 public:
  virtual ~StatsStore() = default;
  virtual Task<absl::StatusOr<std::vector<StatsBucket>>> job_stats(JobStatsRequest request) = 0;
  // Jobs by status now: NEW, ACCEPTED, RUNNING, CANCELING. For metrics.
  virtual Task<absl::StatusOr<std::map<domain::JobStatus, std::int64_t>>> live_jobs() = 0;
};

}  // namespace waybill::ports
