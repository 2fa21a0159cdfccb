#include "waybill/storage/job_store.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_flows.h"
#include "waybill/storage/job_list.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

absl::Status no_job(const JobId& id) { return not_found(fmt::format("there is no job {}", id.str())); }

std::int64_t microseconds(absl::Duration duration) { return absl::ToInt64Microseconds(duration); }

std::string ids_json(const std::vector<JobId>& ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const JobId& id : ids) texts.push_back(id.str());
  return to_json_text(texts);
}

std::string text_of(const json::object& body, std::string_view name) {
  const json::value* value = body.if_contains(name);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

ports::JobTransition transition_of(const Row& row) {
  ports::JobTransition transition;
  transition.at = to_time(row[0]);
  const absl::StatusOr<json::value> parsed = parse_json(as_text(row[1]));
  if (!parsed.ok() || !parsed->is_object()) return transition;
  const json::object& body = parsed->get_object();
  transition.from = domain::parse_job_status(text_of(body, "from"));
  transition.to = domain::parse_job_status(text_of(body, "to")).value_or(domain::JobStatus::kNew);
  transition.reason = domain::parse_end_reason(text_of(body, "reason")).value_or(domain::EndReason::kNone);
  transition.actor = text_of(body, "actor");
  transition.instance = text_of(body, "instance");
  if (const json::value* attempt = body.if_contains("attempt"); attempt != nullptr && attempt->is_int64()) {
    transition.attempt = static_cast<int>(attempt->get_int64());
  }
  return transition;
}

domain::Attempt attempt_of(const Row& row) {
  domain::Attempt attempt;
  attempt.number = static_cast<int>(as_int(row[0]));
  attempt.cluster_id = ClusterId(as_text(row[1]));
  attempt.handle = as_text(row[2]);
  attempt.started_at = to_time(row[3]);
  attempt.finished_at = to_time(row[4]);
  attempt.status = static_cast<domain::JobStatus>(as_int(row[5]));
  attempt.reason = domain::parse_end_reason(as_text(row[6])).value_or(domain::EndReason::kNone);
  attempt.error = as_text(row[7]);
  return attempt;
}

}  // namespace

Task<absl::StatusOr<Rows>> SqlJobStore::read(Call call) {
  absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  co_return rows;
}

Task<absl::StatusOr<std::vector<domain::Job>>> SqlJobStore::read_jobs(Call call) {
  auto work = [call = std::move(call)](Session& session) -> absl::StatusOr<std::vector<domain::Job>> {
    WB_ASSIGN(const Rows rows, run_one(session, call));
    return jobs_of(rows);
  };
  absl::StatusOr<std::vector<domain::Job>> jobs = co_await reader_.run(std::move(work));
  co_return jobs;
}

Task<absl::StatusOr<std::vector<JobId>>> SqlJobStore::read_ids(Call call) {
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  co_return ids_of(*rows);
}

Task<absl::StatusOr<ports::Inserted>> SqlJobStore::insert(ports::NewJob job,
                                                          std::optional<ports::IdempotencyKey> key,
                                                          int queued_per_user) {
  std::vector<ports::NewJob> jobs;
  jobs.push_back(std::move(job));
  auto answers = co_await insert_all(std::move(jobs), false, std::move(key), queued_per_user);
  WB_CO_TRY(answers);
  co_return std::move(answers->front());
}

Task<absl::StatusOr<std::vector<absl::StatusOr<ports::Inserted>>>> SqlJobStore::insert_all(
    std::vector<ports::NewJob> jobs, bool atomic, std::optional<ports::IdempotencyKey> key,
    int queued_per_user) {
  if (jobs.empty()) co_return InsertAnswers();
  auto request = std::make_shared<InsertRequest>();
  request->jobs = std::move(jobs);
  request->atomic = atomic;
  request->key = std::move(key);
  request->queued_per_user = queued_per_user;
  request->now = clock_.now();
  const std::size_t rows = request->jobs.size();
  std::function<Flow<absl::StatusOr<InsertAnswers>>(Batch&)> make = [request](Batch& batch) {
    return insert_flow(batch, request);
  };
  absl::StatusOr<InsertAnswers> answers = co_await writer_.run<InsertAnswers>(std::move(make), rows);
  co_return answers;
}

Task<absl::StatusOr<std::vector<domain::Job>>> SqlJobStore::claim(ports::ClaimRequest request) {
  auto shared = std::make_shared<const ports::ClaimRequest>(std::move(request));
  std::function<Flow<absl::StatusOr<std::vector<domain::Job>>>(Batch&)> make = [shared](Batch& batch) {
    return claim_flow(batch, shared);
  };
  absl::StatusOr<std::vector<domain::Job>> jobs =
      co_await writer_.run<std::vector<domain::Job>>(std::move(make));
  co_return jobs;
}

Task<absl::StatusOr<domain::Job>> SqlJobStore::write(ports::JobWrite write) {
  auto request = std::make_shared<WriteRequest>();
  request->write = std::move(write);
  request->now = clock_.now();
  std::function<Flow<absl::StatusOr<domain::Job>>(Batch&)> make = [request](Batch& batch) {
    return write_flow(batch, request);
  };
  absl::StatusOr<domain::Job> job = co_await writer_.run<domain::Job>(std::move(make));
  co_return job;
}

Task<absl::StatusOr<domain::Job>> SqlJobStore::get(JobId id) {
  absl::StatusOr<domain::Job> job = co_await lookups_->get(std::move(id));
  co_return job;
}

Task<absl::StatusOr<ports::JobPage>> SqlJobStore::list(ports::JobFilter filter, ports::PageRequest page) {
  auto work = [this, filter = std::move(filter), page = std::move(page)](Session& session) {
    return list_jobs(session, queries_, filter, page);
  };
  absl::StatusOr<ports::JobPage> answer = co_await reader_.run(std::move(work));
  co_return answer;
}

Task<absl::StatusOr<std::vector<ports::JobTransition>>> SqlJobStore::transitions(JobId id) {
  Call call{"job_events", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  std::vector<ports::JobTransition> out;
  for (const Row& row : *rows) out.push_back(transition_of(row));
  co_return out;
}

Task<absl::StatusOr<std::vector<domain::Attempt>>> SqlJobStore::attempts(JobId id) {
  Call call{"get_attempts", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  std::vector<domain::Attempt> out;
  for (const Row& row : *rows) out.push_back(attempt_of(row));
  co_return out;
}

Task<absl::StatusOr<std::optional<json::value>>> SqlJobStore::result_info(JobId id) {
  Call call{"get_result", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return no_job(id);
  const Value& info = rows->front()[0];
  if (is_null(info)) co_return std::optional<json::value>();
  absl::StatusOr<json::value> parsed = parse_json(as_text(info));
  WB_CO_TRY(parsed);
  co_return std::optional<json::value>(*std::move(parsed));
}

Task<absl::StatusOr<domain::Outputs>> SqlJobStore::kept_outputs(JobId id) {
  Call call{"get_outputs", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return no_job(id);
  co_return texts_of(as_text(rows->front()[0]));
}

Task<absl::Status> SqlJobStore::heartbeat(ports::Instance instance) {
  std::vector<Call> calls;
  calls.push_back({"heartbeat",
                   {{"id", instance.id.str()},
                    {"host", instance.host},
                    {"roles", to_json_text(instance.roles)},
                    {"version", instance.version},
                    {"directories", to_json_text(instance.directories)}}});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

Task<absl::StatusOr<std::vector<ports::Instance>>> SqlJobStore::instances(absl::Duration lease) {
  Call call{"live_instances", {{"lease_us", microseconds(lease)}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  std::vector<ports::Instance> instances;
  for (const Row& row : *rows) instances.push_back(instance_of(row));
  co_return instances;
}

Task<absl::StatusOr<std::vector<domain::Job>>> SqlJobStore::owned_by(InstanceId by) {
  Call call{"owned_jobs", {{"owner", by.str()}}};
  absl::StatusOr<std::vector<domain::Job>> jobs = co_await read_jobs(std::move(call));
  co_return jobs;
}

Task<absl::StatusOr<std::vector<domain::Job>>> SqlJobStore::orphans(InstanceId by, std::string host,
                                                                    absl::Duration lease, std::size_t limit) {
  Call call{"orphans",
            {{"by", by.str()},
             {"host", std::move(host)},
             {"lease_us", microseconds(lease)},
             {"most", static_cast<std::int64_t>(limit)}}};
  absl::StatusOr<std::vector<domain::Job>> jobs = co_await read_jobs(std::move(call));
  co_return jobs;
}

Task<absl::StatusOr<std::vector<domain::Job>>> SqlJobStore::lost_hosts(std::string host, absl::Duration away,
                                                                       std::size_t limit) {
  Call call{"lost_hosts",
            {{"host", std::move(host)},
             {"away_us", microseconds(away)},
             {"most", static_cast<std::int64_t>(limit)}}};
  absl::StatusOr<std::vector<domain::Job>> jobs = co_await read_jobs(std::move(call));
  co_return jobs;
}

Task<absl::StatusOr<std::optional<absl::Time>>> SqlJobStore::next_due() {
  Call call{"next_due", {}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return std::optional<absl::Time>();
  co_return std::optional<absl::Time>(clock_.now() + absl::Microseconds(as_int(rows->front()[0])));
}

Task<absl::StatusOr<std::size_t>> SqlJobStore::place_in_queue(JobId id) {
  Call call{"place_in_queue", {{"id", id.str()}}};
  const absl::StatusOr<Rows> rows = co_await read(std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return no_job(id);
  co_return static_cast<std::size_t>(as_int(rows->front()[0]));
}

Task<absl::StatusOr<std::vector<JobId>>> SqlJobStore::expire(absl::Time before, std::size_t limit) {
  auto request = std::make_shared<ExpireRequest>();
  request->before = before;
  request->limit = limit;
  std::function<Flow<absl::StatusOr<std::vector<JobId>>>(Batch&)> make = [request](Batch& batch) {
    return expire_flow(batch, request);
  };
  absl::StatusOr<std::vector<JobId>> ids = co_await writer_.run<std::vector<JobId>>(std::move(make));
  co_return ids;
}

Task<absl::StatusOr<std::vector<JobId>>> SqlJobStore::tombstones(std::size_t limit) {
  Call call{"tombstones", {{"most", static_cast<std::int64_t>(limit)}}};
  absl::StatusOr<std::vector<JobId>> ids = co_await read_ids(std::move(call));
  co_return ids;
}

Task<absl::Status> SqlJobStore::forget(std::vector<JobId> ids) {
  std::vector<Call> calls;
  for (const JobId& id : ids) calls.push_back({"forget_job", {{"id", id.str()}}, "job " + id.str()});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

Task<absl::StatusOr<std::vector<JobId>>> SqlJobStore::unknown_of(std::vector<JobId> ids) {
  Call call{"unknown_jobs", {{"ids", ids_json(ids)}}};
  absl::StatusOr<std::vector<JobId>> unknown = co_await read_ids(std::move(call));
  co_return unknown;
}

Task<absl::Status> SqlJobStore::expire_idempotency_keys() {
  std::vector<Call> calls;
  calls.push_back({"expire_keys", {}});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

}  // namespace waybill::storage
