#include "waybill/storage/stats_store.h"

#include <algorithm>

#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/histogram.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

constexpr absl::Duration kHour = absl::Hours(1);

absl::Time hour_floor(absl::Time time) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), kHour);
}

void add_choice(const char* any, const char* name, const std::optional<std::string>& choice, Params& params) {
  params.push_back({any, choice.has_value() ? std::int64_t{0} : std::int64_t{1}});
  params.push_back({name, choice.value_or("")});
}

}  // namespace

Task<absl::StatusOr<std::vector<ports::StatsBucket>>> SqlStatsStore::job_stats(
    ports::JobStatsRequest request) {
  if (request.bucket < kHour || request.bucket % kHour != absl::ZeroDuration()) {
    co_return invalid("the bucket of the statistics must be whole hours, at least one");
  }
  const absl::Time start = hour_floor(request.from);
  Call call{"job_stats", {{"from", to_value(start)}, {"to", to_value(request.to)}}};
  add_choice("any_user", "user", request.user, call.params);
  add_choice("any_command", "command", request.command, call.params);
  add_choice("any_cluster", "cluster", request.cluster, call.params);
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);

  struct Sum {
    ports::StatsBucket bucket;
    std::map<std::int64_t, std::int64_t> durations;
  };
  std::map<std::int64_t, Sum> sums;
  for (const Row& row : *rows) {
    const auto status = static_cast<domain::JobStatus>(as_int(row[1]));
    const auto& wanted = request.statuses;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), status) == wanted.end()) continue;
    const std::int64_t index = (to_time(row[0]) - start) / request.bucket;
    Sum& sum = sums[index];
    sum.bucket.start = start + index * request.bucket;
    sum.bucket.counts[status] += as_int(row[3]);
    sum.durations[as_int(row[2])] += as_int(row[3]);
  }
  std::vector<ports::StatsBucket> out;
  for (auto& [index, sum] : sums) {
    sum.bucket.p50 = quantile(sum.durations, 0.5);
    sum.bucket.p95 = quantile(sum.durations, 0.95);
    out.push_back(std::move(sum.bucket));
  }
  co_return out;
}

Task<absl::StatusOr<std::map<domain::JobStatus, std::int64_t>>> SqlStatsStore::live_jobs() {
  Call call{"live_jobs", {}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  using domain::JobStatus;
  std::map<JobStatus, std::int64_t> out = {
      {JobStatus::kNew, 0}, {JobStatus::kAccepted, 0}, {JobStatus::kRunning, 0}, {JobStatus::kCanceling, 0}};
  for (const Row& row : *rows) out[static_cast<JobStatus>(as_int(row[0]))] = as_int(row[1]);
  co_return out;
}

}  // namespace waybill::storage
