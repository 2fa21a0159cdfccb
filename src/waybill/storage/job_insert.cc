#include <fmt/format.h>

#include <algorithm>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/job_flows.h"
#include "waybill/storage/job_keys.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

using Key = ports::IdempotencyKey;

std::vector<Call> one(Call call) {
  std::vector<Call> calls;
  calls.push_back(std::move(call));
  return calls;
}

Call claim_key_call(const InsertRequest& request, const std::vector<std::string>& ids) {
  const Key& key = *request.key;
  return {"claim_key",
          {{"caller", key.caller},
           {"key", key.key},
           {"endpoint", key.endpoint},
           {"request_hash", key.request_hash},
           {"job_ids", to_json_text(ids)},
           {"keep_us", absl::ToInt64Microseconds(key.keep)}},
          "key " + key.caller + ' ' + key.key};
}

// Users whose waiting jobs must be counted.
std::vector<std::string> limited_users(const InsertRequest& request) {
  std::vector<std::string> users;
  if (request.queued_per_user <= 0) return users;
  for (const ports::NewJob& job : request.jobs) {
    if (job.job.state.status == domain::JobStatus::kNew) users.push_back(job.job.spec.user);
  }
  return domain::sorted_unique(std::move(users));
}

absl::Status over_limit(const InsertRequest& request, const std::string& user) {
  return error(absl::StatusCode::kResourceExhausted, "too_many_requests",
               fmt::format("user \"{}\" has {} jobs waiting already: try again when some have started", user,
                           request.queued_per_user));
}

// Both databases refuse the same texts.
absl::Status check_texts(const domain::JobSpec& spec) {
  const auto clean = [](const std::string& text) { return is_clean_utf8(text); };
  const bool all = clean(spec.name) && clean(spec.version) && clean(spec.description) && clean(spec.user) &&
                   clean(spec.queue) && clean(spec.idempotency_key) &&
                   std::all_of(spec.tags.begin(), spec.tags.end(), clean);
  return all ? absl::OkStatus() : invalid("a text of the job is not UTF-8 or has the character U+0000");
}

// Which jobs are let in, one status for each.
std::vector<absl::Status> admit(Batch& batch, const InsertRequest& request,
                                std::map<std::string, std::int64_t> waiting) {
  std::vector<absl::Status> verdicts;
  std::map<std::string, std::int64_t> mine;
  for (const ports::NewJob& job : request.jobs) {
    const std::string& user = job.job.spec.user;
    const bool counts = request.queued_per_user > 0 && job.job.state.status == domain::JobStatus::kNew;
    const bool full =
        counts && waiting[user] + batch.added_for_user()[user] + mine[user] >= request.queued_per_user;
    verdicts.push_back(full ? over_limit(request, user) : check_texts(job.job.spec));
    if (counts && verdicts.back().ok()) ++mine[user];
  }
  const bool refused = std::any_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return !v.ok(); });
  if (request.atomic && refused) {
    for (absl::Status& verdict : verdicts) {
      if (verdict.ok()) verdict = aborted("another job of the request was refused: nothing was stored");
    }
    return verdicts;
  }
  for (const auto& [user, count] : mine) batch.added_for_user()[user] += count;
  return verdicts;
}

InsertAnswers refusals(const std::vector<absl::Status>& verdicts) {
  InsertAnswers answers;
  for (const absl::Status& verdict : verdicts) answers.emplace_back(verdict);
  return answers;
}

Call insert_call(const ports::NewJob& job, absl::Time now) {
  if (has_no_past(job.job)) return {"insert_new_job", new_job_params(job.job), "job " + job.job.id.str()};
  return {"insert_job", insert_params(job.job, now), "job " + job.job.id.str()};
}

// What belongs to a new job.
void insert_side_rows(Batch& batch, const ports::NewJob& job) {
  for (const std::string& tag : job.job.spec.tags) {
    batch.at_end({"insert_tag", {{"tag", tag}, {"id", job.job.id.str()}}});
  }
  batch.at_end(event_call(batch, job.job, std::nullopt, job.note));
}

void tell_of(Batch& batch, const domain::Job& job) {
  batch.tell({ports::ChangeKind::kEventsAppended, job.id.str()});
  if (job.state.status == domain::JobStatus::kNew) batch.tell({ports::ChangeKind::kJobsWaiting, {}});
}

// The jobs that a key made first, as they are now.
std::vector<Call> get_calls(const std::vector<std::string>& ids) {
  std::vector<Call> calls;
  for (const std::string& id : ids) calls.push_back({"get_job", {{"id", id}}, "~"});  // after all inserts
  return calls;
}

InsertAnswers known_jobs(const InsertRequest& request, const std::vector<std::string>& ids,
                         const std::vector<Rows>& found) {
  InsertAnswers answers;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const bool there = i < found.size() && !found[i].empty();
    if (!there) {
      answers.emplace_back(gone(*request.key, i < ids.size() ? ids[i] : std::string()));
      continue;
    }
    absl::StatusOr<domain::Job> job = job_of(found[i][0]);
    if (!job.ok()) {
      answers.emplace_back(job.status());
      continue;
    }
    answers.emplace_back(ports::Inserted{*std::move(job), false});
  }
  return answers;
}

}  // namespace

Flow<absl::StatusOr<InsertAnswers>> insert_flow(Batch& batch, std::shared_ptr<const InsertRequest> request) {
  const std::vector<std::string> users = limited_users(*request);
  std::vector<Call> look;
  for (const std::string& user : users) look.push_back({"lock_user", {{"username", user}}, "0 " + user});
  for (const std::string& user : users) {
    look.push_back({"count_waiting_of_user",
                    {{"username", user}, {"most", std::int64_t{request->queued_per_user}}},
                    "1"});
  }
  if (request->key.has_value()) look.push_back(find_key_call(*request->key));
  const std::vector<Rows> seen = co_await batch.run(std::move(look));

  Row known = request->key.has_value() && !seen.back().empty() ? seen.back()[0] : Row();
  std::vector<absl::Status> verdicts;
  if (known.empty()) {
    std::map<std::string, std::int64_t> waiting;
    for (std::size_t i = 0; i < users.size(); ++i) waiting[users[i]] = as_int(seen[users.size() + i][0][0]);
    verdicts = admit(batch, *request, std::move(waiting));
    const bool none = std::none_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return v.ok(); });
    if (none) co_return refusals(verdicts);
  }
  if (known.empty() && request->key.has_value()) {
    std::vector<std::string> ids;
    for (const ports::NewJob& job : request->jobs) ids.push_back(job.job.id.str());
    std::vector<Call> claim = one(claim_key_call(*request, ids));
    const std::vector<Rows> claimed = co_await batch.run(std::move(claim));
    if (claimed[0].empty()) {
      std::vector<Call> again = one(find_key_call(*request->key));
      const std::vector<Rows> found = co_await batch.run(std::move(again));
      if (found[0].empty()) co_return aborted("the idempotency key ran out just now: send the request again");
      known = found[0][0];
    }
  }
  if (!known.empty()) {
    const absl::Status same = check_key(*request->key, known);
    if (!same.ok()) co_return same;
    const std::vector<std::string> ids = words_of(as_text(known[2]));
    std::vector<Call> get = get_calls(ids);
    const std::vector<Rows> found = co_await batch.run(std::move(get));
    co_return known_jobs(*request, ids, found);
  }

  std::vector<Call> insert;
  InsertAnswers answers;
  for (std::size_t i = 0; i < request->jobs.size(); ++i) {
    if (!verdicts[i].ok()) {
      answers.emplace_back(verdicts[i]);
      continue;
    }
    const ports::NewJob& fresh = request->jobs[i];
    insert.push_back(insert_call(fresh, request->now));
    insert_side_rows(batch, fresh);
    domain::Job job = fresh.job;
    job.created_at = created_at_of(job);
    job.updated_at = job.created_at;
    tell_of(batch, job);
    answers.emplace_back(ports::Inserted{std::move(job), true});
  }
  if (!request->key.has_value()) {
    for (Call& call : insert) batch.at_end(std::move(call));
    co_return answers;
  }
  // Others of the group may find the key and read the jobs before the end.
  const std::vector<Rows> inserted = co_await batch.run(std::move(insert));
  static_cast<void>(inserted);
  co_return answers;
}

}  // namespace waybill::storage
