#include <fmt/format.h>

#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/json_text.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

// GET /stats/jobs.
namespace waybill::rest {
namespace {

constexpr std::int64_t kMostBuckets = 2000;

absl::StatusOr<absl::Time> time_or(const Query& query, std::string_view name, absl::Time fallback) {
  if (query.get(name).empty()) return fallback;
  absl::StatusOr<absl::Time> time = parse_time(query.get(name));
  if (!time.ok()) return prefixed(time.status(), name);
  return time;
}

std::optional<std::string> text_of(const Query& query, std::string_view name) {
  if (query.get(name).empty()) return std::nullopt;
  return std::string(query.get(name));
}

absl::StatusOr<ports::JobStatsRequest> read_request(const Query& query, absl::Time now) {
  ports::JobStatsRequest request;
  WB_ASSIGN(request.to, time_or(query, "to", now));
  WB_ASSIGN(request.from, time_or(query, "from", request.to - absl::Hours(24)));
  request.bucket = absl::Hours(1);
  if (!query.get("bucket").empty()) {
    absl::StatusOr<absl::Duration> bucket = parse_duration(query.get("bucket"));
    if (!bucket.ok()) return prefixed(bucket.status(), "bucket");
    request.bucket = *bucket;
  }
  const bool hours =
      request.bucket > absl::ZeroDuration() && request.bucket % absl::Hours(1) == absl::ZeroDuration();
  if (!hours)
    return invalid(fmt::format("bucket: \"{}\" is not a number of whole hours", query.get("bucket")));
  if (request.from >= request.to) return invalid("from: this is not before to");
  const std::int64_t buckets =
      absl::ToInt64Hours(request.to - request.from) / absl::ToInt64Hours(request.bucket);
  if (buckets > kMostBuckets) {
    return invalid(fmt::format("bucket: from and to are {} buckets apart, more than {}: take larger ones",
                               buckets, kMostBuckets));
  }
  request.user = text_of(query, "user");
  request.command = text_of(query, "command");
  request.cluster = text_of(query, "cluster");
  for (const std::string& word : query.list("status")) {
    const auto status = domain::parse_job_status(word);
    if (!status) return invalid(fmt::format("status: \"{}\" is no status of a job", word));
    request.statuses.push_back(*status);
  }
  return request;
}

void write_counts(const std::map<domain::JobStatus, std::int64_t>& counts, JsonText& out) {
  std::int64_t all = 0;
  out.key("counts");
  out.begin_object();
  for (const auto& [status, count] : counts) {
    out.some_number(to_string(status), count);
    all += count;
  }
  out.end_object();
  const auto succeeded = counts.find(domain::JobStatus::kSucceeded);
  if (all == 0) return;
  out.key("success_rate");
  out.real(static_cast<double>(succeeded == counts.end() ? 0 : succeeded->second) / static_cast<double>(all));
}

void write_bucket(const ports::StatsBucket& bucket, JsonText& out) {
  out.begin_object();
  out.some("start", format_time(bucket.start));
  write_counts(bucket.counts, out);
  if (bucket.p50) {
    out.key("p50_ms");
    out.number(absl::ToInt64Milliseconds(*bucket.p50));
  }
  if (bucket.p95) {
    out.key("p95_ms");
    out.number(absl::ToInt64Milliseconds(*bucket.p95));
  }
  out.end_object();
}

Task<absl::StatusOr<Reply>> job_stats(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(ports::JobStatsRequest request, read_request(call->query, api->services.clock.now()));
  if (is_scoped(*api, *call)) {
    WB_CO_TRY(require_caller(*call));
    request.user = call->caller.name;
  }
  const ports::JobStatsRequest asked = request;
  absl::StatusOr<std::vector<ports::StatsBucket>> buckets =
      co_await api->services.stats.job_stats(std::move(request));
  WB_CO_TRY(buckets);
  std::map<domain::JobStatus, std::int64_t> total;
  JsonText out;
  out.begin_object();
  out.some("from", format_time(asked.from));
  out.some("to", format_time(asked.to));
  out.key("bucket_seconds");
  out.number(absl::ToInt64Seconds(asked.bucket));
  out.key("data");
  out.begin_array();
  for (const ports::StatsBucket& bucket : *buckets) {
    write_bucket(bucket, out);
    for (const auto& [status, count] : bucket.counts) total[status] += count;
  }
  out.end_array();
  write_counts(total, out);
  out.end_object();
  co_return json_reply(out.take());
}

}  // namespace

void add_stats_routes(Api& api) {
  api.base.add({Method::kGet, "/stats/jobs", Needs::kNothing, Audit::kDenied, job_stats});
}

}  // namespace waybill::rest
