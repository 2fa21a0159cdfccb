#include "waybill/storage/record_reader.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_rows.h"
#include "waybill/storage/record_list.h"
#include "waybill/storage/record_rows.h"

namespace waybill::storage {
namespace {

constexpr std::size_t kManifestDepth = 256;

}  // namespace

Task<absl::StatusOr<domain::Record>> SqlRecordReader::get(RecordId id) {
  if (!is_clean_utf8(id.str())) co_return not_found("there is no record of that id");
  Call call{"get_record", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return not_found(fmt::format("there is no record {}", id.str()));
  co_return record_of(rows->front());
}

Task<absl::StatusOr<ports::RecordPage>> SqlRecordReader::list(ports::RecordFilter filter,
                                                              ports::RecordPageRequest page) {
  auto work = [this, filter = std::move(filter), page = std::move(page)](Session& session) {
    return list_records(session, queries_, filter, page);
  };
  absl::StatusOr<ports::RecordPage> answer = co_await reader_.run(std::move(work));
  co_return answer;
}

Task<absl::StatusOr<std::map<std::string, boost::json::value>>> SqlRecordReader::manifests(
    std::vector<std::string> hashes) {
  Call call{"get_manifests", {{"words", to_json_text(hashes)}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  std::map<std::string, boost::json::value> found;
  for (const Row& row : *rows) {
    absl::StatusOr<boost::json::value> body = parse_json(as_text(row[1]), {.depth = kManifestDepth});
    WB_CO_TRY(body);
    found.emplace(as_text(row[0]), *std::move(body));
  }
  co_return found;
}

Task<absl::StatusOr<bool>> SqlRecordReader::knows_table(std::string project, std::string table) {
  if (!is_clean_utf8(project) || !is_clean_utf8(table)) co_return false;
  Call call{"has_table", {{"project", std::move(project)}, {"table", std::move(table)}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  co_return !rows->empty();
}

Task<absl::StatusOr<std::vector<RecordId>>> SqlRecordReader::of_job(JobId job) {
  if (!is_clean_utf8(job.str())) co_return std::vector<RecordId>();
  Call call{"records_of_job", {{"job", job.str()}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  std::vector<RecordId> ids;
  for (const Row& row : *rows) ids.emplace_back(as_text(row[0]));
  co_return ids;
}

Task<absl::StatusOr<std::vector<ports::RecordStatsBucket>>> SqlRecordReader::record_stats(
    ports::RecordStatsRequest request) {
  auto work = [this, request = std::move(request)](Session& session) {
    return storage::record_stats(session, queries_, request);
  };
  absl::StatusOr<std::vector<ports::RecordStatsBucket>> answer = co_await reader_.run(std::move(work));
  co_return answer;
}

}  // namespace waybill::storage
