#include "waybill/storage/job_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <tuple>

#include "waybill/base/status.h"
#include "waybill/storage/histogram.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace json = boost::json;

Call event_call(Batch& batch, const domain::Job& job, std::optional<domain::JobStatus> from,
                const ports::TransitionNote& note) {
  json::object body;
  body["id"] = job.id.str();
  if (from.has_value()) body["from"] = domain::to_string(*from);
  body["to"] = domain::to_string(job.state.status);
  // A job that waits for its next attempt says why, until that one runs; it is no reason of the steps
  // between.
  const bool brought_it = job.state.status == domain::JobStatus::kNew || domain::is_final(job.state.status);
  if (brought_it && job.state.reason != domain::EndReason::kNone) {
    body["reason"] = domain::to_string(job.state.reason);
  }
  body["name"] = job.spec.name;
  body["version"] = job.spec.version;
  body["user"] = job.spec.user;
  body["command"] = job.route.command_name;
  body["cluster"] = job.route.cluster_name;
  body["tags"] = json::array(job.spec.tags.begin(), job.spec.tags.end());
  body["attempt"] = job.state.attempt;
  body["actor"] = note.actor;
  body["instance"] = note.instance;
  return {"insert_event",
          {{"n", batch.next_event()},
           {"type", std::string("job")},
           {"subject", job.id.str()},
           {"body", json::serialize(body)}}};
}

namespace {

// Of one hour of finished jobs, with the one that just became final.
void count_finished(Batch& batch, const domain::Job& job) {
  const bool ran = job.state.started_at != absl::InfinitePast();
  constexpr std::int64_t kHour = 3'600'000'000;
  const std::int64_t finished = absl::ToUnixMicros(job.state.finished_at);
  batch.count({.hour = finished - finished % kHour,
               .username = job.spec.user,
               .command = job.route.command_name,
               .cluster = job.route.cluster_name,
               .status = static_cast<std::int64_t>(job.state.status),
               .bucket = ran ? bucket_of(job.state.finished_at - job.state.started_at) : kNoDuration});
}

Call attempt_call(const domain::Job& job) {
  return {"put_attempt",
          {{"id", job.id.str()},
           {"number", std::int64_t{job.state.attempt}},
           {"cluster_id", job.route.cluster_id.str()},
           {"handle", job.state.handle},
           {"started_at", to_value(job.state.started_at)},
           {"finished_at", to_value(job.state.finished_at)},
           {"status", static_cast<std::int64_t>(job.state.status)},
           {"reason", std::string(domain::to_string(job.state.reason))},
           {"error", job.state.error}}};
}

// A requeue raised the attempt: the one before has ended.
Call end_attempt_call(const domain::Job& job) {
  return {"end_attempt",
          {{"id", job.id.str()},
           {"number", std::int64_t{job.state.attempt} - 1},
           {"cluster_id", job.route.cluster_id.str()},
           {"reason", std::string(domain::to_string(job.state.reason))},
           {"error", job.state.error}}};
}

bool was_started(const domain::Job& job) {
  return !job.state.handle.empty() || job.state.started_at != absl::InfinitePast();
}

// Rows that go with a job's new state.
void write_side_rows(Batch& batch, const domain::Job& job, const ports::JobWrite& write) {
  if (job.state.status == domain::JobStatus::kNew) {
    if (write.expected_status != domain::JobStatus::kNew && job.state.attempt > 1) {
      batch.at_end(end_attempt_call(job));
    }
  } else if (was_started(job)) {
    batch.at_end(attempt_call(job));
  }
  if (write.result_info.has_value()) {
    batch.at_end({"put_result", {{"id", job.id.str()}, {"info", json::serialize(*write.result_info)}}});
  }
  if (write.kept_outputs.has_value()) {
    batch.at_end({"put_outputs", {{"id", job.id.str()}, {"outputs", to_json_text(*write.kept_outputs)}}});
  }
  if (job.state.status != write.expected_status) {
    batch.at_end(event_call(batch, job, write.expected_status, write.note));
  }
}

void tell_of(Batch& batch, const domain::Job& job, const ports::JobWrite& write) {
  using ports::ChangeKind;
  if (job.state.status == write.expected_status) return;
  batch.tell({ChangeKind::kEventsAppended, job.id.str()});
  if (job.state.status == domain::JobStatus::kNew) batch.tell({ChangeKind::kJobsWaiting, {}});
  const bool cancel = job.state.status == domain::JobStatus::kCanceling ||
                      (job.state.status == domain::JobStatus::kCanceled &&
                       write.expected_status == domain::JobStatus::kAccepted);
  if (cancel) batch.tell({ChangeKind::kCancelRequested, job.id.str()});
}

Params write_params(const WriteRequest& request) {
  const ports::JobWrite& write = request.write;
  Params params = {
      {"id", write.id.str()},
      {"expected_status", static_cast<std::int64_t>(write.expected_status)},
      {"expected_epoch", write.expected_epoch},
      {"attributes", write.attributes.has_value() ? Value(to_json_text(*write.attributes)) : Value()},
      {"attribute_errors",
       write.attribute_errors.has_value() ? Value(to_json_text(*write.attribute_errors)) : Value()},
      {"has_result", write.result_info.has_value() ? std::int64_t{1} : std::int64_t{0}},
  };
  add_state_params(write.state, request.now, params);
  return params;
}

}  // namespace

Flow<absl::StatusOr<domain::Job>> write_flow(Batch& batch, std::shared_ptr<const WriteRequest> request) {
  const ports::JobWrite& write = request->write;
  std::vector<Call> update;
  update.push_back({"write_job", write_params(*request), "job " + write.id.str()});
  const std::vector<Rows> updated = co_await batch.run(std::move(update));
  if (updated[0].empty()) {
    std::vector<Call> look;
    look.push_back({"job_exists", {{"id", write.id.str()}}});
    const std::vector<Rows> found = co_await batch.run(std::move(look));
    if (found[0].empty()) co_return not_found(fmt::format("there is no job {}", write.id.str()));
    co_return aborted(fmt::format("job {} was changed by another write: read it again", write.id.str()));
  }
  absl::StatusOr<domain::Job> job = job_of(updated[0][0]);
  if (!job.ok()) co_return job;
  const bool ended = !domain::is_final(write.expected_status) && domain::is_final(job->state.status);
  if (ended && job->state.finished_at != absl::InfinitePast()) count_finished(batch, *job);
  tell_of(batch, *job, write);
  write_side_rows(batch, *job, write);
  co_return job;
}

namespace {

// Those of the candidates that their users have room for, in the queue's order.
std::vector<std::string> pick(const Rows& candidates, int places, int per_user,
                              std::map<std::string, std::int64_t>& running) {
  std::vector<std::string> ids;
  for (const Row& row : candidates) {
    if (ids.size() >= static_cast<std::size_t>(std::max(places, 0))) break;
    if (++running[as_text(row[1])] > per_user) continue;
    ids.push_back(as_text(row[0]));
  }
  return ids;
}

Call waiting_call(const ports::ClaimRequest& request, bool host_local, int places) {
  const std::int64_t most = std::min(request.running_per_user, places);
  return {"waiting_by_user", {{"host_local", std::int64_t{host_local}}, {"per_user", most}}, "2"};
}

Call claim_waiting_call(const ports::ClaimRequest& request, bool host_local, int places) {
  return {"claim_waiting",
          {{"host_local", std::int64_t{host_local}},
           {"places", std::int64_t{places}},
           {"owner", request.by.str()},
           {"host", request.host}},
          "2"};
}

// What was claimed: host-local jobs first, each kind in the queue's order; and their events.
absl::StatusOr<std::vector<domain::Job>> claimed_jobs(Batch& batch, const std::vector<Rows>& taken,
                                                      const ports::ClaimRequest& request) {
  std::vector<domain::Job> jobs;
  for (const Rows& rows : taken) {
    WB_ASSIGN(std::vector<domain::Job> some, jobs_of(rows));
    std::move(some.begin(), some.end(), std::back_inserter(jobs));
  }
  std::sort(jobs.begin(), jobs.end(), [](const domain::Job& a, const domain::Job& b) {
    return std::tie(b.route.host_local, b.spec.priority, a.id) <
           std::tie(a.route.host_local, a.spec.priority, b.id);
  });
  for (const domain::Job& job : jobs) {
    batch.at_end(event_call(batch, job, domain::JobStatus::kNew, request.note));
    batch.tell({ports::ChangeKind::kEventsAppended, job.id.str()});
  }
  return jobs;
}

}  // namespace

Flow<absl::StatusOr<std::vector<domain::Job>>> claim_flow(
    Batch& batch, std::shared_ptr<const ports::ClaimRequest> request) {
  const int per_user = request->running_per_user;
  if (per_user <= 0) {
    std::vector<Call> claim;
    if (request->host_local > 0) claim.push_back(claim_waiting_call(*request, true, request->host_local));
    if (request->remote > 0) claim.push_back(claim_waiting_call(*request, false, request->remote));
    const std::vector<Rows> taken = co_await batch.run(std::move(claim));
    co_return claimed_jobs(batch, taken, *request);
  }
  std::vector<Call> lock;
  lock.push_back({"lock_claims", {}});
  const std::vector<Rows> locked = co_await batch.run(std::move(lock));
  static_cast<void>(locked);
  std::vector<Call> look;
  look.push_back(waiting_call(*request, true, request->host_local));
  look.push_back(waiting_call(*request, false, request->remote));
  look.push_back({"running_by_user", {}, "1"});
  const std::vector<Rows> seen = co_await batch.run(std::move(look));

  std::map<std::string, std::int64_t> running;
  for (const Row& row : seen[2]) running[as_text(row[0])] = as_int(row[1]);
  std::vector<std::string> ids = pick(seen[0], request->host_local, per_user, running);
  const std::vector<std::string> remote = pick(seen[1], request->remote, per_user, running);
  ids.insert(ids.end(), remote.begin(), remote.end());

  std::vector<Call> take;
  for (const std::string& id : ids) {
    take.push_back(
        {"claim_job", {{"id", id}, {"owner", request->by.str()}, {"host", request->host}}, "job " + id});
  }
  const std::vector<Rows> taken = co_await batch.run(std::move(take));
  co_return claimed_jobs(batch, taken, *request);
}

Flow<absl::StatusOr<std::vector<JobId>>> expire_flow(Batch& batch,
                                                     std::shared_ptr<const ExpireRequest> request) {
  std::vector<Call> look;
  look.push_back({"finished_before",
                  {{"before", absl::ToUnixMicros(request->before)},
                   {"most", static_cast<std::int64_t>(request->limit)}}});
  const std::vector<Rows> found = co_await batch.run(std::move(look));
  std::vector<JobId> ids = ids_of(found[0]);
  std::vector<Call> remove;
  for (const JobId& id : ids) {
    for (const char* query : {"put_tombstone", "remove_tags", "remove_attempts", "remove_result",
                              "remove_outputs", "remove_job"}) {
      remove.push_back({query, {{"id", id.str()}}, "job " + id.str()});
    }
  }
  const std::vector<Rows> removed = co_await batch.run(std::move(remove));
  static_cast<void>(removed);
  co_return ids;
}

}  // namespace waybill::storage
