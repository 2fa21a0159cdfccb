#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/record_json.h"
#include "waybill/api/rest/record_query.h"
#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"

// GET /records, /record/{id} and its manifest.
namespace waybill::rest {
namespace {

constexpr std::size_t kRowsAtOnce = 500;  // read from the database at a time while streaming

std::string page_json(const ports::RecordPage& page) {
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const domain::Record& record : page.records) write_record(record, out);
  out.end_array();
  out.some_flag("has_more", !page.next_cursor.empty());
  out.some("next_cursor", page.next_cursor);
  out.end_object();
  return out.take();
}

// Page by page from the database to the client. A file has no cursor to go on from, so without a limit it
// holds every row.
Task<void> stream_csv(ApiPtr api, RecordQuery query, ports::RecordPage first,
                      std::shared_ptr<StreamSink> sink) {
  std::size_t left = query.limited ? query.page.limit : SIZE_MAX;
  ports::RecordPage page = std::move(first);
  std::string lines(record_csv_header());
  while (true) {
    for (const domain::Record& record : page.records) lines += record_csv(record);
    left -= std::min(left, page.records.size());
    const bool last = left == 0 || page.next_cursor.empty();
    const bool sent = co_await sink->write(std::exchange(lines, {}));
    if (!sent || last) co_return;
    ports::RecordPageRequest next = query.page;
    next.cursor = page.next_cursor;
    next.limit = std::min(left, kRowsAtOnce);
    absl::StatusOr<ports::RecordPage> read =
        co_await api->services.records.list(query.filter, std::move(next));
    if (!read.ok()) {
      sink->fail();
      co_return;
    }
    page = *std::move(read);
  }
}

Task<absl::StatusOr<Reply>> list_records(ApiPtr api, CallPtr call) {
  WB_CO_TRY(may_read_history(*api, *call));
  WB_CO_ASSIGN(RecordQuery query, read_record_query(call->query));
  const bool csv = accepts(call->request->headers.find("Accept"), "text/csv");
  ports::RecordPageRequest first = query.page;
  if (csv) first.limit = query.limited ? std::min(query.page.limit, kRowsAtOnce) : kRowsAtOnce;
  absl::StatusOr<ports::RecordPage> page =
      co_await api->services.records.list(query.filter, std::move(first));
  WB_CO_TRY(page);
  if (!csv) co_return json_reply(page_json(*page));
  Reply reply;
  reply.content_type = "text/csv; charset=utf-8; header=present";
  reply.headers.add("Content-Disposition", "attachment; filename=\"records.csv\"");
  reply.stream = [api, query = std::move(query),
                  first_page = *std::move(page)](std::shared_ptr<StreamSink> sink) {
    return stream_csv(api, query, first_page, std::move(sink));
  };
  co_return reply;
}

absl::Status unknown_record() { return not_found("unknown record id"); }

// A caller who sees only their own jobs sees the runs of those.
Task<absl::StatusOr<domain::Record>> visible_record(ApiPtr api, CallPtr call) {
  if (is_scoped(*api, *call)) {
    WB_CO_TRY(require_caller(*call));
  }
  absl::StatusOr<domain::Record> record = co_await api->services.records.get(RecordId(call->params.at(0)));
  if (!record.ok() && absl::IsNotFound(record.status())) co_return unknown_record();
  WB_CO_TRY(record);
  if (!is_scoped(*api, *call)) co_return record;
  if (record->gateway_job.empty()) co_return unknown_record();
  const absl::StatusOr<domain::Job> job = co_await visible_job(api, call, record->gateway_job);
  if (!job.ok()) co_return absl::IsNotFound(job.status()) ? unknown_record() : job.status();
  co_return record;
}

Task<absl::StatusOr<Reply>> get_record(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Record> record = co_await visible_record(api, call);
  WB_CO_TRY(record);
  co_return with_etag(*call, record_json(*record));
}

// YAML unless JSON is asked for.
absl::StatusOr<bool> wants_json(const Call& call) {
  const std::string_view format = call.query.get("format");
  if (format == "json") return true;
  if (format == "yaml") return false;
  if (!format.empty()) return invalid(fmt::format("format: \"{}\" is neither yaml nor json", format));
  const std::string* accept = call.request->headers.find("Accept");
  return accepts(accept, "application/json") && !accepts(accept, "application/yaml");
}

Task<absl::StatusOr<Reply>> get_manifest(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(const bool json, wants_json(*call));
  absl::StatusOr<domain::Record> record = co_await visible_record(api, call);
  WB_CO_TRY(record);
  const auto missing = [&] {
    return error(absl::StatusCode::kNotFound, "no_manifest",
                 fmt::format("no manifest of record {} is kept", record->run.id.str()));
  };
  if (record->manifest.empty()) co_return missing();
  std::vector<std::string> wanted = {record->manifest};
  absl::StatusOr<std::map<std::string, boost::json::value>> found =
      co_await api->services.records.manifests(std::move(wanted));
  WB_CO_TRY(found);
  if (found->empty()) co_return missing();
  boost::json::value manifest = std::move(found->begin()->second);
  std::string text = co_await on(api->services.pool, [json, manifest = std::move(manifest)] {
    std::string written = boost::json::serialize(manifest);
    return json ? written : yaml_text(written);
  });
  Reply reply = json_reply(std::move(text));
  if (!json) reply.content_type = "application/yaml";
  reply.headers.add("Vary", "Accept");
  co_return reply;
}

}  // namespace

absl::Status may_read_history(const Api& api, const Call& call) {
  if (!is_scoped(api, call)) return absl::OkStatus();
  WB_TRY(require_caller(call));
  return denied("only admins list the run history while auth.read_scoped is on");
}

void add_record_routes(Api& api) {
  api.base.add({Method::kGet, "/records", Needs::kNothing, Audit::kDenied, list_records});
  api.base.add({Method::kGet, "/record/{id}", Needs::kNothing, Audit::kDenied, get_record});
  api.base.add({Method::kGet, "/record/{id}/manifest", Needs::kNothing, Audit::kDenied, get_manifest});
}

}  // namespace waybill::rest
