#include "waybill/api/rest/record_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/domain/feature_table.h"

namespace waybill::rest {
namespace {

absl::Status read_words(const Query& query, ports::RecordFilter& filter) {
  for (const std::string& word : query.list("status")) {
    const auto status = domain::parse_record_status(word);
    if (!status) {
      return invalid(
          fmt::format("status: \"{}\" is no status of a run (PENDING, RUNNING, DONE or ERROR)", word));
    }
    filter.statuses.push_back(*status);
  }
  for (const std::string& word : query.list("reason")) {
    const auto reason = domain::parse_record_reason(word);
    if (!reason) return invalid(fmt::format("reason: \"{}\" is no reason of a run, such as Failed", word));
    filter.reasons.push_back(*reason);
  }
  WB_ASSIGN(filter.types, read_record_types(query));
  return absl::OkStatus();
}

absl::Status read_span(const Query& query, std::string_view first, std::string_view last,
                       std::optional<absl::Time>& from, std::optional<absl::Time>& to) {
  WB_ASSIGN(from, query.time(first));
  WB_ASSIGN(to, query.time(last));
  if (!from || !to || *from <= *to) return absl::OkStatus();
  return invalid(fmt::format("{}: {} is after {}, {}", first, format_time(*from), last, format_time(*to)));
}

absl::Status read_order(const Query& query, ports::RecordPageRequest& page) {
  const std::string_view order = query.get("order_by");
  if (!order.empty() && order != "job_start_time") {
    return invalid(fmt::format("order_by: \"{}\" is not job_start_time, the only order of runs", order));
  }
  WB_ASSIGN(page.descending, read_descending(query));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<domain::RecordType>> read_record_types(const Query& query) {
  std::vector<domain::RecordType> types;
  for (const std::string& word : query.list("type")) {
    const domain::RecordType type = domain::parse_record_type(word);
    if (word != to_string(type)) {
      return invalid(fmt::format(
          "type: \"{}\" is no type of a run (BATCH_INGESTION_JOB, STREAM_INGESTION_JOB, RETRIEVAL_JOB or "
          "INVALID_JOB for any other)",
          word));
    }
    types.push_back(type);
  }
  return types;
}

absl::StatusOr<RecordQuery> read_record_query(const Query& query) {
  RecordQuery read;
  ports::RecordFilter& filter = read.filter;
  filter.project = query.some("project");
  filter.table = query.some("table");
  if (filter.project && filter.table)
    filter.hash = domain::feature_table_hash(*filter.project, *filter.table);
  filter.cluster = query.some("cluster");
  filter.name_space = query.some("namespace");
  filter.job_id = query.some("job_id");
  filter.spark_application_id = query.some("spark_application_id");
  WB_TRY(read_words(query, filter));
  WB_TRY(read_span(query, "from", "to", filter.from, filter.to));
  WB_TRY(read_span(query, "window_from", "window_to", filter.window_from, filter.window_to));
  WB_TRY(read_order(query, read.page));
  read.limited = !query.get("limit").empty();
  read.page.limit = read_limit(query.get("limit"), kMostRecords);
  read.page.cursor = query.get("cursor");
  return read;
}

}  // namespace waybill::rest
