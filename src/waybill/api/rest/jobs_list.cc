#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/api/rest/job_query.h"
#include "waybill/base/status.h"

// GET /jobs: pages of JSON, or lines of it.
namespace waybill::rest {
namespace {

constexpr std::size_t kMostRows = 101;
constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kLinesAtOnce = 101;  // read from the database at a time while streaming

bool wants_lines(const Request& request) {
  const std::string* accept = request.headers.find("Accept");
  return accepts(accept, "application/jsonl") || accepts(accept, "application/x-ndjson");
}

std::string page_json(const ports::JobPage& page, const Redactor& redactor) {
  const JobForm form{redactor, true};
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const domain::Job& job : page.jobs) write_job(job, form, out);
  out.end_array();
  out.some_flag("has_more", !page.next_cursor.empty());
  out.some("next_cursor", page.next_cursor);
  out.end_object();
  return out.take();
}

std::string lines_of(const ports::JobPage& page, const Redactor& redactor) {
  const JobForm form{redactor, true};
  std::string lines;
  for (const domain::Job& job : page.jobs) {
    lines += job_json(job, form);
    lines += '\n';
  }
  return lines;
}

// Row by row from the database to the client, so that a thousand rows with contexts never lie in memory at
// once. The last line is {"next_cursor": …} where there are more.
Task<void> stream_lines(ApiPtr api, JobQuery query, ports::JobPage first, std::shared_ptr<StreamSink> sink) {
  std::size_t left = query.page.limit;
  ports::JobPage page = std::move(first);
  while (true) {
    left -= std::min(left, page.jobs.size());
    std::string lines = lines_of(page, api->services.redactor);
    const bool last = left == 0 || page.next_cursor.empty();
    if (last && !page.next_cursor.empty()) {
      JsonText out;
      out.begin_object();
      out.some("next_cursor", page.next_cursor);
      out.end_object();
      lines += out.take() + '\n';
    }
    const bool sent = co_await sink->write(std::move(lines));
    if (!sent || last) co_return;
    ports::PageRequest next = query.page;
    next.cursor = page.next_cursor;
    next.limit = std::min(left, kLinesAtOnce);
    absl::StatusOr<ports::JobPage> read = co_await api->services.jobs.list(query.filter, std::move(next));
    if (!read.ok()) {
      sink->fail();
      co_return;
    }
    page = *std::move(read);
  }
}

Task<absl::StatusOr<Reply>> list_jobs(ApiPtr api, CallPtr call) {
  const bool scoped = is_scoped(*api, *call);
  if (scoped) {
    WB_CO_TRY(require_caller(*call));
  }
  const bool lines = wants_lines(*call->request);
  WB_CO_ASSIGN(JobQuery query, read_job_query(call->query, call->caller.name, scoped ? call->caller.name : "",
                                              lines ? kMostLines : kMostRows));
  absl::StatusOr<ports::JobPage> page = ports::JobPage();
  if (!query.nothing) {
    ports::PageRequest first = query.page;
    if (lines) first.limit = std::min(first.limit, kLinesAtOnce);
    page = co_await api->services.jobs.list(query.filter, std::move(first));
    WB_CO_TRY(page);
  }
  if (!lines) co_return json_reply(page_json(*page, api->services.redactor));
  Reply reply;
  reply.content_type = "application/jsonl";
  reply.stream = [api, query = std::move(query), first = *std::move(page)](std::shared_ptr<StreamSink> sink) {
    return stream_lines(api, query, first, std::move(sink));
  };
  co_return reply;
}

}  // namespace

void add_job_list_routes(Api& api) {
  api.base.add({Method::kGet, "/jobs", Needs::kNothing, Audit::kDenied, list_jobs});
}

}  // namespace waybill::rest
