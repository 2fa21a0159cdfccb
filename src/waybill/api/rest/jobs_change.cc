#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/bind.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/api/rest/job_query.h"
#include "waybill/api/rest/job_request.h"
#include "waybill/base/go_json.h"
#include "waybill/base/status.h"

// Cancel, rerun, and many jobs at once.
namespace waybill::rest {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostAtOnce = 1000;

absl::Status of_job(const absl::Status& problem) {
  return absl::IsNotFound(problem) ? unknown_job() : problem;
}

// The answer says CANCELING also where the job had not started and is CANCELED at once.
Task<absl::StatusOr<Reply>> cancel_job(ApiPtr api, CallPtr call) {
  absl::StatusOr<domain::Job> visible = co_await visible_job(api, call, JobId(call->params.at(0)));
  WB_CO_TRY(visible);
  Gateway::JobAnswer job = co_await api->services.gateway.cancel(visible->id, call->caller);
  if (!job.ok()) co_return of_job(job.status());
  co_return json_reply(R"({"status":"CANCELING"})");
}

Task<absl::StatusOr<Reply>> rerun_job(ApiPtr api, CallPtr call) {
  Object context;
  Members members;
  members.object("context", context);
  WB_CO_TRY(members.read(call->body.get_object(), nullptr));
  if (context) {
    for (auto& member : *context) as_go_numbers(member.value());
  }
  WB_CO_ASSIGN(std::string key, idempotency_key(call->request->headers.find("Idempotency-Key")));
  absl::StatusOr<domain::Job> visible = co_await visible_job(api, call, JobId(call->params.at(0)));
  WB_CO_TRY(visible);
  absl::StatusOr<engine::Submitted> submitted =
      co_await api->services.gateway.rerun(visible->id, std::move(context), call->caller, std::move(key));
  if (!submitted.ok()) co_return of_job(submitted.status());
  const JobForm form{api->services.redactor, false, submitted->result.get(), nullptr, &members.warnings()};
  co_return json_reply(job_json(submitted->job, form));
}

struct BulkBody {
  bool atomic = false;
  std::vector<absl::StatusOr<JobRequestBody>> jobs;
};

absl::StatusOr<BulkBody> read_bulk(const json::object& body) {
  BulkBody bulk;
  std::optional<json::value> list;
  Members members;
  members.flag("atomic", bulk.atomic);
  members.any("jobs", list);
  WB_TRY(members.read(body, nullptr));
  if (!list || !list->is_array()) return invalid("jobs: a list of jobs is missing");
  const json::array& jobs = list->get_array();
  if (jobs.empty() || jobs.size() > kMostAtOnce) {
    return invalid(fmt::format("jobs: {} jobs are not between 1 and {}", jobs.size(), kMostAtOnce));
  }
  for (const json::value& job : jobs) {
    if (job.is_object()) {
      bulk.jobs.push_back(read_job_request(job.get_object(), nullptr));
    } else {
      bulk.jobs.emplace_back(invalid("this is no JSON object"));
    }
  }
  return bulk;
}

using Answers = std::vector<absl::StatusOr<engine::Submitted>>;

// What the engine said, put back between the jobs that could not even be read.
Answers in_order(const BulkBody& bulk, Answers answers) {
  Answers all;
  std::size_t next = 0;
  for (const auto& job : bulk.jobs) {
    if (!job.ok()) {
      all.emplace_back(job.status());
    } else if (next < answers.size()) {
      all.push_back(std::move(answers[next++]));
    } else {
      all.emplace_back(absl::InternalError("the engine gave fewer answers than jobs"));
    }
  }
  return all;
}

std::string answers_json(const Answers& answers, const BulkBody& bulk, const Redactor& redactor) {
  JsonText out;
  out.begin_array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].ok()) {
      out.raw('{' + error_members(answers[i].status()) + '}');
      continue;
    }
    const JobForm form{redactor, true, nullptr, nullptr,
                       bulk.jobs[i].ok() ? &bulk.jobs[i]->warnings : nullptr};
    write_job(answers[i]->job, form, out);
  }
  out.end_array();
  return out.take();
}

// A good job that was not stored for another's sake.
bool is_bystander(const absl::Status& status) {
  return error_word(status) == "not_stored" || error_word(status) == "not_submitted";
}

// An atomic request fails as the first job at fault does, with all answers beside it.
Reply bulk_reply(const Answers& answers, const BulkBody& bulk, const Redactor& redactor) {
  const std::string data = answers_json(answers, bulk, redactor);
  if (bulk.atomic) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].ok() || is_bystander(answers[i].status())) continue;
      const absl::Status problem = prefixed(answers[i].status(), fmt::format("jobs[{}]", i));
      return json_reply('{' + error_members(problem) + ",\"data\":" + data + '}', http_status(problem));
    }
  }
  return json_reply("{\"data\":" + data + '}');
}

Task<absl::StatusOr<Reply>> submit_jobs(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(const BulkBody bulk, read_bulk(call->body.get_object()));
  WB_CO_TRY(require_caller(*call));
  WB_CO_ASSIGN(std::string key, idempotency_key(call->request->headers.find("Idempotency-Key")));
  std::vector<domain::JobSpec> specs;
  for (const auto& job : bulk.jobs) {
    if (job.ok()) specs.push_back(job->spec);
  }
  const bool hopeless = bulk.atomic && specs.size() < bulk.jobs.size();
  Answers answers;
  if (hopeless) {
    answers.resize(specs.size(), error(absl::StatusCode::kAborted, "not_submitted",
                                       "another job of this request is at fault"));
  } else if (!specs.empty()) {
    absl::StatusOr<Answers> submitted = co_await api->services.gateway.submit_all(
        std::move(specs), bulk.atomic, std::move(key), call->caller);
    WB_CO_ASSIGN(answers, std::move(submitted));
  }
  co_return bulk_reply(in_order(bulk, std::move(answers)), bulk, api->services.redactor);
}

using Canceled = std::vector<std::pair<JobId, Gateway::JobAnswer>>;

std::string canceled_json(const Canceled& canceled) {
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const auto& [id, job] : canceled) {
    out.begin_object();
    out.some("id", id.str());
    if (job.ok()) {
      out.some("status", "CANCELING");
    } else {
      const absl::Status problem = of_job(job.status());
      out.some("error", public_message(problem));
      out.some("code", error_word(problem));
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

// A filter's members are the query parameters of GET /jobs, as strings.
absl::StatusOr<JobQuery> read_filter(const json::object& filter, const Call& call,
                                     const std::string& scoped_to) {
  constexpr std::string_view kKnown[] = {"id",      "username", "name",          "version",
                                         "command", "cluster",  "status",        "tags",
                                         "from",    "to",       "finished_from", "finished_to",
                                         "q",       "mine",     "min_duration",  "max_duration"};
  Query query;
  for (const auto& member : filter) {
    const std::string name(member.key());
    if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
      return invalid(
          fmt::format("filter: \"{}\" is no filter of GET /jobs", name));  // ignored, it would cancel more
    }
    const json::value& value = member.value();
    if (value.is_null()) continue;
    if (!value.is_string() && !value.is_bool())
      return invalid(fmt::format("filter.{}: this is not a string", name));
    query.set(name,
              value.is_bool() ? (value.get_bool() ? "true" : "false") : std::string(value.get_string()));
  }
  if (query.items().empty())
    return invalid("filter: at least one filter is needed, so that nobody cancels everything by mistake");
  return read_job_query(query, call.caller.name, scoped_to, 1);
}

Task<absl::StatusOr<Reply>> cancel_jobs(ApiPtr api, CallPtr call) {
  Words ids;
  Object filter;
  Members members;
  members.words("ids", ids);
  members.object("filter", filter);
  WB_CO_TRY(members.read(call->body.get_object(), nullptr));
  if (ids.has_value() == filter.has_value())
    co_return invalid("either ids or filter says which jobs to cancel");
  Canceled canceled;
  if (ids) {
    if (ids->size() > kMostAtOnce) co_return invalid(fmt::format("ids: more than {} ids", kMostAtOnce));
    std::vector<JobId> jobs;
    for (std::string& id : *ids) jobs.emplace_back(std::move(id));
    canceled = co_await api->services.gateway.cancel_all(std::move(jobs), call->caller);
  } else {
    const std::string scoped_to = is_scoped(*api, *call) ? call->caller.name : std::string();
    WB_CO_ASSIGN(JobQuery query, read_filter(*filter, *call, scoped_to));
    if (!query.nothing) {
      absl::StatusOr<Canceled> matching =
          co_await api->services.gateway.cancel_matching(std::move(query.filter), call->caller);
      WB_CO_ASSIGN(canceled, std::move(matching));
    }
  }
  co_return json_reply(canceled_json(canceled));
}

}  // namespace

void add_job_change_routes(Api& api) {
  api.base.add({Method::kPost, "/job/{id}/cancel", Needs::kCaller, Audit::kChanges, cancel_job});
  api.base.add({Method::kPost, "/job/{id}/rerun", Needs::kCaller, Audit::kChanges, rerun_job});
  api.base.add({Method::kPost, "/jobs", Needs::kBodyThenCaller, Audit::kDenied, submit_jobs});
  api.base.add({Method::kPost, "/jobs/cancel", Needs::kCaller, Audit::kChanges, cancel_jobs});
}

}  // namespace waybill::rest
