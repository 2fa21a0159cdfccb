#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

// GET /job/{id} and what hangs on it, without the logs.
namespace waybill::rest {
namespace {

JobId job_id(const Call& call) { return JobId(call.params.at(0)); }

// The result of a job that is over, as JSON; "" where there is none, where it is large, or can't be read now.
Task<std::shared_ptr<const std::string>> small_result(ApiPtr api, JobId id) {
  if (auto known = api->small_results.find(id)) co_return known;
  absl::StatusOr<std::string> text = co_await api->services.results.get(id);
  if (!text.ok()) co_return std::make_shared<const std::string>();
  co_return api->small_results.keep(id, *std::move(text));
}

Task<absl::StatusOr<Reply>> get_job(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, job_id(*call));
  WB_CO_TRY(job);
  std::shared_ptr<const std::string> result;
  if (job->has_result && domain::is_final(job->state.status)) result = co_await small_result(api, job->id);
  JobForm form{api->services.redactor};
  form.result_text = result.get();
  co_return with_etag(*call, job_json(*job, form));
}

Task<absl::StatusOr<Reply>> get_status(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, job_id(*call));
  WB_CO_TRY(job);
  co_return json_reply(job_status_json(*job));
}

Task<absl::StatusOr<Reply>> get_result(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, job_id(*call));
  WB_CO_TRY(job);
  absl::StatusOr<std::string> result = co_await api->services.results.get(job->id);
  if (!result.ok() && absl::IsNotFound(result.status())) {
    co_return error(
        absl::StatusCode::kNotFound, "no_result",
        fmt::format("job {} is {} and has no result", job->id.str(), to_string(job->state.status)));
  }
  WB_CO_TRY(result);
  co_return json_reply(*std::move(result));
}

void write_transition(const ports::JobTransition& step, JsonText& out) {
  out.begin_object();
  out.some("at", format_time(step.at));
  if (step.from) out.some("from", to_string(*step.from));
  out.some("to", to_string(step.to));
  out.some("reason", to_string(step.reason));
  out.some("actor", step.actor);
  out.some("instance", step.instance);
  out.some_number("attempt", step.attempt);
  out.end_object();
}

Task<absl::StatusOr<Reply>> get_events(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, job_id(*call));
  WB_CO_TRY(job);
  absl::StatusOr<std::vector<ports::JobTransition>> steps = co_await api->services.jobs.transitions(job->id);
  WB_CO_TRY(steps);
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const ports::JobTransition& step : *steps) write_transition(step, out);
  out.end_array();
  out.end_object();
  co_return json_reply(out.take());
}

void write_attempt(const domain::Attempt& attempt, JsonText& out) {
  out.begin_object();
  out.some_number("attempt", attempt.number);
  out.some("cluster_id", attempt.cluster_id.str());
  out.some("status", to_string(attempt.status));
  out.some("reason", to_string(attempt.reason));
  out.some("error", attempt.error);
  if (attempt.started_at != absl::InfinitePast()) out.some("started_at", format_time(attempt.started_at));
  if (attempt.finished_at != absl::InfinitePast()) out.some("finished_at", format_time(attempt.finished_at));
  out.end_object();
}

Task<absl::StatusOr<Reply>> get_attempts(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, job_id(*call));
  WB_CO_TRY(job);
  absl::StatusOr<std::vector<domain::Attempt>> attempts = co_await api->services.jobs.attempts(job->id);
  WB_CO_TRY(attempts);
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const domain::Attempt& attempt : *attempts) write_attempt(attempt, out);
  out.end_array();
  out.end_object();
  co_return json_reply(out.take());
}

Task<absl::StatusOr<Reply>> get_statuses(ApiPtr, CallPtr) {
  co_return json_reply(
      R"(["ACCEPTED","CANCELED","CANCELING","FAILED","KILLED","NEW","RUNNING","SUCCEEDED"])");
}

}  // namespace

void add_job_routes(Api& api) {
  api.base.add({Method::kGet, "/job/statuses", Needs::kNothing, Audit::kDenied, get_statuses});
  api.base.add({Method::kGet, "/job/{id}", Needs::kNothing, Audit::kDenied, get_job});
  api.base.add({Method::kGet, "/job/{id}/status", Needs::kNothing, Audit::kDenied, get_status});
  api.base.add({Method::kGet, "/job/{id}/result", Needs::kNothing, Audit::kDenied, get_result});
  api.base.add({Method::kGet, "/job/{id}/events", Needs::kNothing, Audit::kDenied, get_events});
  api.base.add({Method::kGet, "/job/{id}/attempts", Needs::kNothing, Audit::kDenied, get_attempts});
}

}  // namespace waybill::rest
