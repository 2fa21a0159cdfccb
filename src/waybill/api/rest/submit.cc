#include <boost/json.hpp>
#include <random>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/api/rest/job_request.h"
#include "waybill/api/rest/near_misses.h"
#include "waybill/base/go_json.h"
#include "waybill/base/status.h"

// POST /job.
namespace waybill::rest {
namespace {

// Nothing was stored, so there is no id to ask for later: the answer names the request instead, and for a job
// that fits nowhere (422) what nearly matched.
Reply refused_reply(const Api& api, const Call& call, const absl::Status& problem,
                    const domain::JobSpec& spec) {
  std::string body = '{' + error_members(problem) + ",\"request_id\":";
  append_json_string(call.request->id, body);
  if (error_word(problem) == "no_route") {
    body += ",\"near_misses\":" + near_misses_json(api, spec.command_criteria, spec.cluster_criteria);
  }
  return json_reply(body + '}', http_status(problem));
}

bool is_refusal(const absl::Status& problem) {
  return absl::IsPermissionDenied(problem) || error_word(problem) == "no_route";
}

Task<absl::StatusOr<Reply>> submit_job(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(JobRequestBody read, read_job_request(call->body.get_object(), &call->query));
  WB_CO_TRY(require_caller(*call));
  engine::SubmitRequest request;
  WB_CO_ASSIGN(request.idempotency_key, idempotency_key(call->request->headers.find("Idempotency-Key")));
  const domain::JobSpec spec = read.spec;
  request.spec = std::move(read.spec);
  absl::StatusOr<engine::Submitted> submitted =
      co_await api->services.gateway.submit(std::move(request), call->caller);
  if (!submitted.ok() && is_refusal(submitted.status())) {
    co_return refused_reply(*api, *call, submitted.status(), spec);
  }
  WB_CO_TRY(submitted);
  const JobForm form{api->services.redactor, false, submitted->result.get(), nullptr, &read.warnings};
  co_return json_reply(job_json(submitted->job, form));
}

}  // namespace

void add_submit_routes(Api& api) {
  api.base.add({Method::kPost, "/job", Needs::kBodyThenCaller, Audit::kDenied, submit_job});
}

}  // namespace waybill::rest
