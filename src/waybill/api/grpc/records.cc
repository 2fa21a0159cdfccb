#include "waybill/api/grpc/records.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <utility>
#include <vector>

#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/domain/attribute_order.h"

namespace waybill::rpc {
namespace api = feast_spark::api;
namespace {

constexpr std::size_t kMostBytes = 4 * 1024 * 1024;  // a client's default limit; answers stay below
constexpr std::size_t kManifestsAtOnce = 50;

void set_time(const absl::Time& time, google::protobuf::Timestamp& out) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  out.set_seconds(seconds);
  out.set_nanos(static_cast<std::int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

void fill_meta(const domain::Record& record, domain::RecordType type, api::BatchJobRecord& out) {
  const domain::Run& run = record.run;
  if (type == domain::RecordType::kBatchIngestion) {
    api::BatchJobRecord::OfflineToOnlineMeta& meta = *out.mutable_batch_ingestion();
    meta.set_table_name(run.table);
    meta.set_project(run.project);
    if (run.window.from) set_time(*run.window.from, *meta.mutable_start_time_param());
    if (run.window.to) set_time(*run.window.to, *meta.mutable_end_time_param());
  } else if (type == domain::RecordType::kRetrieval) {
    api::BatchJobRecord::RetrievalMeta& meta = *out.mutable_retrieval();
    meta.set_output_location(record.output_location);
    meta.set_project(run.project);
    for (const std::string& ref : record.feature_refs) meta.add_feature_refs(ref);
  }
}

// What a record takes in the response: its tag, its length, itself.
std::size_t framed(const api::BatchJobRecord& record) {
  const std::size_t size = record.ByteSizeLong();
  return 1 + google::protobuf::io::CodedOutputStream::VarintSize64(size) + size;
}

std::map<std::string, std::string> as_yaml(const std::map<std::string, boost::json::value>& manifests) {
  std::map<std::string, std::string> texts;
  for (const auto& [hash, manifest] : manifests) texts[hash] = yaml_text(boost::json::serialize(manifest));
  return texts;
}

// The rows of a response with the manifests that belong to them.
struct Rows {
  api::ListBatchJobRecordsResponse* response;
  std::vector<std::string> hashes;  // one a row; "" : none
  std::size_t bytes = 0;            // of the response
};

absl::Status add_rows(const std::vector<domain::Record>& records, Rows& rows) {
  for (const domain::Record& record : records) {
    api::BatchJobRecord& row = *rows.response->add_records();
    fill(record, row);
    rows.hashes.push_back(record.manifest);
    rows.bytes += framed(row);
    if (rows.bytes < kMostBytes) continue;
    return error(
        absl::StatusCode::kResourceExhausted, "too_large",
        fmt::format("the answer would be larger than 4 MiB after {} rows: ask for fewer at once with "
                    "page_size, or for a shorter time with start and end",
                    rows.hashes.size()));
  }
  return absl::OkStatus();
}

// Gives the row its manifest, if that still fits.
bool add_manifest(const std::string& yaml, std::size_t row, Rows& rows) {
  api::BatchJobRecord& record = *rows.response->mutable_records(static_cast<int>(row));
  const std::size_t others = rows.bytes - framed(record);
  if (others + framed(record) + yaml.size() >= kMostBytes) return false;  // don't copy what can't fit
  record.set_spark_app_manifest(yaml);
  if (others + framed(record) < kMostBytes) {
    rows.bytes = others + framed(record);
    return true;
  }
  record.clear_spark_app_manifest();
  return false;
}

// From the newest row on, until one does not fit. Answers how many rows go without theirs.
Task<absl::StatusOr<std::size_t>> add_manifests(RecordsOf from, std::shared_ptr<Rows> rows) {
  const std::size_t count = rows->hashes.size();
  for (std::size_t begin = 0; begin < count; begin += kManifestsAtOnce) {
    if (from.given_up()) co_return absl::CancelledError("nobody waits for the answer any more");
    const std::size_t end = std::min(begin + kManifestsAtOnce, count);
    std::vector<std::string> wanted;
    for (std::size_t i = begin; i < end; ++i) {
      if (!rows->hashes[i].empty()) wanted.push_back(rows->hashes[i]);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    if (wanted.empty()) continue;
    absl::StatusOr<std::map<std::string, boost::json::value>> manifests =
        co_await from.records.manifests(std::move(wanted));
    WB_CO_TRY(manifests);
    const std::map<std::string, std::string> texts =
        co_await on(from.pool, [kept = *std::move(manifests)] { return as_yaml(kept); });
    for (std::size_t i = begin; i < end; ++i) {
      const auto text = texts.find(rows->hashes[i]);
      if (text == texts.end() || add_manifest(text->second, i, *rows)) continue;
      const auto left =
          std::count_if(rows->hashes.begin() + static_cast<std::ptrdiff_t>(i), rows->hashes.end(),
                        [](const std::string& hash) { return !hash.empty(); });
      co_return static_cast<std::size_t>(left);
    }
  }
  co_return std::size_t{0};
}

Task<absl::Status> read_rows(RecordsOf from, RecordsQuery query, std::shared_ptr<Rows> rows) {
  while (true) {
    if (from.given_up()) co_return absl::CancelledError("nobody waits for the answer any more");
    absl::StatusOr<ports::RecordPage> page = co_await from.records.list(query.filter, query.page);
    const bool bad_token = !page.ok() && absl::IsInvalidArgument(page.status()) && !query.page.cursor.empty();
    if (bad_token) co_return prefixed(page.status(), fmt::format("page_token: \"{}\"", query.page.cursor));
    WB_CO_TRY(page);
    WB_CO_TRY(add_rows(page->records, *rows));
    if (!query.all) {
      rows->response->set_next_page_token(page->next_cursor);
      break;
    }
    if (page->next_cursor.empty()) break;
    query.page.cursor = page->next_cursor;
  }
  rows->bytes = rows->response->ByteSizeLong();
  co_return absl::OkStatus();
}

// Whether there is such a table, or a run of one at any time: also one whose name the operator's label cut.
Task<absl::StatusOr<bool>> knows_table(RecordsOf from, ports::RecordFilter asked) {
  const absl::StatusOr<bool> known = co_await from.records.knows_table(*asked.project, *asked.table);
  WB_CO_TRY(known);
  if (*known) co_return true;
  ports::RecordFilter anything;
  anything.project = asked.project;
  anything.table = asked.table;
  anything.hash = asked.hash;
  ports::RecordPageRequest one;
  one.limit = 1;
  const absl::StatusOr<ports::RecordPage> page =
      co_await from.records.list(std::move(anything), std::move(one));
  WB_CO_TRY(page);
  co_return !page->records.empty();
}

}  // namespace

void fill(const domain::Record& record, api::BatchJobRecord& out) {
  const domain::Run& run = record.run;
  const domain::RecordType type = domain::parse_record_type(run.type_word);
  out.set_id(run.id.str());
  out.set_job_id(run.name);
  out.set_type(static_cast<api::JobType>(type));
  out.set_status(static_cast<api::JobStatus>(run.status));
  set_time(run.start, *out.mutable_job_start_time());
  if (run.end) {
    set_time(*run.end, *out.mutable_job_end_time());
  } else {
    out.mutable_job_end_time()->set_seconds(-1);
  }
  fill_meta(record, type, out);
  out.set_reason(std::string(domain::to_string(run.reason)));
  out.set_error_message(run.error);
  out.set_attempts(static_cast<std::int32_t>(run.attempts));
  out.set_spark_application_id(run.application_id);
  for (const auto* item : domain::in_order(record.attributes)) {
    api::BatchJobRecord::Attribute& attribute = *out.add_attributes();
    const bool is_link = item->second.kind == domain::AttributeKind::kLink;
    attribute.set_label(item->first);
    attribute.set_kind(is_link ? "link" : "text");
    attribute.set_value(item->second.value);
  }
  out.set_cluster(run.cluster);
  out.set_namespace_(run.name_space);
}

Task<absl::StatusOr<std::size_t>> list_batch_job_records(RecordsOf from,
                                                         const api::ListBatchJobRecordsRequest* request,
                                                         api::ListBatchJobRecordsResponse* response) {
  WB_CO_ASSIGN(const RecordsQuery query, read_request(*request, from.now));
  auto rows = std::make_shared<Rows>();
  rows->response = response;
  const absl::Status read = co_await read_rows(from, query, rows);
  WB_CO_TRY(read);
  if (rows->hashes.empty() && query.filter.table) {
    const absl::StatusOr<bool> known = co_await knows_table(from, query.filter);
    WB_CO_TRY(known);
    if (!*known) {
      co_return not_found(
          fmt::format("table_name: there is no feature table \"{}\" in project \"{}\", nor a record of one",
                      *query.filter.table, *query.filter.project));
    }
  }
  absl::StatusOr<std::size_t> left_out = co_await add_manifests(from, rows);
  co_return left_out;
}

}  // namespace waybill::rpc
