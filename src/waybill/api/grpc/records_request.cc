#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/api/grpc/records.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/base/utf8.h"
#include "waybill/domain/feature_table.h"

namespace waybill::rpc {
namespace api = feast_spark::api;
namespace {

constexpr absl::Duration kDefaultSpan = absl::Hours(24 * 7);
constexpr int kMostRows = 1000;           // of a page
constexpr std::size_t kRowsAtOnce = 500;  // read from the database at a time where all are wanted
constexpr char kDefaultProject[] = "default";

absl::StatusOr<std::string> text_of(std::string_view field, const std::string& text) {
  if (is_clean_utf8(text)) return text;
  return invalid(fmt::format("{}: the text is not UTF-8, or holds U+0000", field));
}

absl::StatusOr<std::optional<absl::Time>> time_of(std::string_view field, bool given,
                                                  const google::protobuf::Timestamp& time) {
  if (!given) return std::optional<absl::Time>();
  // What google.protobuf.Timestamp allows: the years 1 to 9999.
  constexpr std::int64_t kFirst = -62135596800;
  constexpr std::int64_t kLast = 253402300799;
  const bool good = time.seconds() >= kFirst && time.seconds() <= kLast && time.nanos() >= 0 &&
                    time.nanos() < 1'000'000'000;
  if (good) {
    return std::optional(absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()));
  }
  return invalid(fmt::format(
      "{}: {{seconds: {}, nanos: {}}} is no time between the years 1 and 9999 with 0 to 999999999 nanos",
      field, time.seconds(), time.nanos()));
}

absl::Status read_types(const api::ListBatchJobRecordsRequest& request, ports::RecordFilter& filter) {
  switch (request.type()) {
    case api::INVALID_JOB:
      // Objects that no feature store made are shown by the REST API alone.
      filter.types = {domain::RecordType::kBatchIngestion, domain::RecordType::kStreamIngestion,
                      domain::RecordType::kRetrieval};
      return absl::OkStatus();
    case api::BATCH_INGESTION_JOB:
      filter.types = {domain::RecordType::kBatchIngestion};
      if (!request.table_name().empty()) return absl::OkStatus();
      return invalid("table_name: \"\" is no table; the type BATCH_INGESTION_JOB needs one");
    case api::RETRIEVAL_JOB:
      filter.types = {domain::RecordType::kRetrieval};
      return absl::OkStatus();
    case api::STREAM_INGESTION_JOB:
      return invalid(
          "type: STREAM_INGESTION_JOB is no type of batch jobs (BATCH_INGESTION_JOB, RETRIEVAL_JOB, or none "
          "for "
          "all)");
    default:
      return invalid(
          fmt::format("type: {} is no job type (BATCH_INGESTION_JOB 1, RETRIEVAL_JOB 4, or 0 for all)",
                      static_cast<int>(request.type())));
  }
}

absl::Status read_status(const api::ListBatchJobRecordsRequest& request, ports::RecordFilter& filter) {
  const int status = static_cast<int>(request.status());
  if (status == api::JOB_STATUS_INVALID) return absl::OkStatus();
  if (!api::JobStatus_IsValid(status)) {
    return invalid(fmt::format("status: {} is no job status (1 to 4, or 0 for all)", status));
  }
  filter.statuses = {static_cast<domain::RecordStatus>(status)};
  return absl::OkStatus();
}

absl::Status read_times(const api::ListBatchJobRecordsRequest& request, absl::Time now,
                        ports::RecordFilter& filter) {
  WB_ASSIGN(filter.to, time_of("end", request.has_end(), request.end()));
  WB_ASSIGN(filter.from, time_of("start", request.has_start(), request.start()));
  if (!filter.from) filter.from = filter.to.value_or(now) - kDefaultSpan;
  if (!filter.to || *filter.from <= *filter.to) return absl::OkStatus();
  return invalid(
      fmt::format("start: {} is after end, {}", format_time(*filter.from), format_time(*filter.to)));
}

absl::Status read_page(const api::ListBatchJobRecordsRequest& request, RecordsQuery& query) {
  const int size = request.page_size();
  if (size < 0) {
    return invalid(fmt::format("page_size: {} is no number of rows (1 to {}, or 0 for all rows at once)",
                               size, kMostRows));
  }
  query.all = size == 0;
  query.page.limit = query.all ? kRowsAtOnce : static_cast<std::size_t>(std::min(size, kMostRows));
  WB_ASSIGN(query.page.cursor, text_of("page_token", request.page_token()));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordsQuery> read_request(const api::ListBatchJobRecordsRequest& request, absl::Time now) {
  RecordsQuery query;
  ports::RecordFilter& filter = query.filter;
  WB_ASSIGN(filter.project, text_of("project", request.project()));
  if (filter.project->empty()) filter.project = kDefaultProject;
  WB_ASSIGN(const std::string table, text_of("table_name", request.table_name()));
  if (!table.empty()) {
    filter.table = table;
    filter.hash = domain::feature_table_hash(*filter.project, table);
  }
  WB_TRY(read_types(request, filter));
  WB_TRY(read_status(request, filter));
  WB_TRY(read_times(request, now, filter));
  WB_TRY(read_page(request, query));
  return query;
}

}  // namespace waybill::rpc
