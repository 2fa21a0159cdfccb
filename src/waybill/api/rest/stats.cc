#include <fmt/format.h>

#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/json_text.h"
#include "waybill/api/rest/record_query.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

// GET /stats/jobs and /stats/records.
namespace waybill::rest {
namespace {

constexpr std::int64_t kMostBuckets = 2000;

struct Buckets {
  absl::Time from, to;
  absl::Duration width;
};

absl::StatusOr<Buckets> read_buckets(const Query& query, absl::Time now) {
  Buckets buckets;
  WB_ASSIGN(const std::optional<absl::Time> to, query.time("to"));
  WB_ASSIGN(const std::optional<absl::Time> from, query.time("from"));
  buckets.to = to.value_or(now);
  buckets.from = from.value_or(buckets.to - absl::Hours(24));
  buckets.width = absl::Hours(1);
  if (!query.get("bucket").empty()) {
    absl::StatusOr<absl::Duration> width = parse_duration(query.get("bucket"));
    if (!width.ok()) return prefixed(width.status(), "bucket");
    buckets.width = *width;
  }
  const bool hours =
      buckets.width > absl::ZeroDuration() && buckets.width % absl::Hours(1) == absl::ZeroDuration();
  if (!hours)
    return invalid(fmt::format("bucket: \"{}\" is not a number of whole hours", query.get("bucket")));
  if (buckets.from >= buckets.to) return invalid("from: this is not before to");
  const std::int64_t count =
      absl::ToInt64Hours(buckets.to - buckets.from) / absl::ToInt64Hours(buckets.width);
  if (count > kMostBuckets) {
    return invalid(fmt::format("bucket: from and to are {} buckets apart, more than {}: take larger ones",
                               count, kMostBuckets));
  }
  return buckets;
}

absl::StatusOr<ports::JobStatsRequest> read_request(const Query& query, absl::Time now) {
  WB_ASSIGN(const Buckets buckets, read_buckets(query, now));
  ports::JobStatsRequest request;
  request.from = buckets.from;
  request.to = buckets.to;
  request.bucket = buckets.width;
  request.user = query.some("user");
  request.command = query.some("command");
  request.cluster = query.some("cluster");
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

void write_durations(const std::optional<absl::Duration>& p50, const std::optional<absl::Duration>& p95,
                     JsonText& out) {
  if (p50) {
    out.key("p50_ms");
    out.number(absl::ToInt64Milliseconds(*p50));
  }
  if (p95) {
    out.key("p95_ms");
    out.number(absl::ToInt64Milliseconds(*p95));
  }
}

void write_bucket(const ports::StatsBucket& bucket, JsonText& out) {
  out.begin_object();
  out.some("start", format_time(bucket.start));
  write_counts(bucket.counts, out);
  write_durations(bucket.p50, bucket.p95, out);
  out.end_object();
}

// The beginning of an answer, up to its rows.
void begin_answer(absl::Time from, absl::Time to, absl::Duration width, JsonText& out) {
  out.begin_object();
  out.some("from", format_time(from));
  out.some("to", format_time(to));
  out.key("bucket_seconds");
  out.number(absl::ToInt64Seconds(width));
  out.key("data");
  out.begin_array();
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
  begin_answer(asked.from, asked.to, asked.bucket, out);
  for (const ports::StatsBucket& bucket : *buckets) {
    write_bucket(bucket, out);
    for (const auto& [status, count] : bucket.counts) total[status] += count;
  }
  out.end_array();
  write_counts(total, out);
  out.end_object();
  co_return json_reply(out.take());
}

// Runs that are open have no outcome yet, lost ones none that is known: neither counts for the rate.
void write_outcomes(const std::map<domain::RecordStatus, std::int64_t>& counts, std::int64_t unknown,
                    JsonText& out) {
  out.key("counts");
  out.begin_object();
  for (const auto& [status, count] : counts) out.some_number(to_string(status), count);
  out.end_object();
  out.some_number("unknown", unknown);
  const auto count_of = [&](domain::RecordStatus status) {
    const auto found = counts.find(status);
    return found == counts.end() ? std::int64_t{0} : found->second;
  };
  const std::int64_t done = count_of(domain::RecordStatus::kDone);
  const std::int64_t ended = done + count_of(domain::RecordStatus::kError);
  if (ended == 0) return;
  out.key("success_rate");
  out.real(static_cast<double>(done) / static_cast<double>(ended));
}

Task<absl::StatusOr<Reply>> record_stats(ApiPtr api, CallPtr call) {
  WB_CO_TRY(may_read_history(*api, *call));
  WB_CO_ASSIGN(const Buckets asked, read_buckets(call->query, api->services.clock.now()));
  ports::RecordStatsRequest request;
  request.from = asked.from;
  request.to = asked.to;
  request.bucket = asked.width;
  request.project = call->query.some("project");
  request.table = call->query.some("table");
  WB_CO_ASSIGN(request.types, read_record_types(call->query));
  const absl::StatusOr<std::vector<ports::RecordStatsBucket>> buckets =
      co_await api->services.records.record_stats(std::move(request));
  WB_CO_TRY(buckets);
  std::map<domain::RecordStatus, std::int64_t> total;
  std::int64_t unknown = 0;
  JsonText out;
  begin_answer(asked.from, asked.to, asked.width, out);
  for (const ports::RecordStatsBucket& bucket : *buckets) {
    out.begin_object();
    out.some("start", format_time(bucket.start));
    write_outcomes(bucket.counts, bucket.unknown, out);
    write_durations(bucket.p50, bucket.p95, out);
    out.end_object();
    for (const auto& [status, count] : bucket.counts) total[status] += count;
    unknown += bucket.unknown;
  }
  out.end_array();
  write_outcomes(total, unknown, out);
  out.end_object();
  co_return json_reply(out.take());
}

}  // namespace

void add_stats_routes(Api& api) {
  api.base.add({Method::kGet, "/stats/jobs", Needs::kNothing, Audit::kDenied, job_stats});
  api.base.add({Method::kGet, "/stats/records", Needs::kNothing, Audit::kDenied, record_stats});
}

}  // namespace waybill::rest
