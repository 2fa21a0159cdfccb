#include "waybill/engine/submit.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/id_time.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/domain/job_state.h"
#include "waybill/domain/matching.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/context_checks.h"
#include "waybill/engine/endings.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/health_state.h"
#include "waybill/engine/leases.h"
#include "waybill/engine/plans.h"
#include "waybill/engine/runner.h"
#include "waybill/engine/submit_checks.h"

namespace waybill::engine {
namespace {

using PartsPtr = std::shared_ptr<EngineParts>;
using domain::Caller;
using domain::Job;
using domain::JobSpec;
using domain::JobStatus;

constexpr std::size_t kMostAtOnce = 1000;
constexpr char kJobUrl[] = "waybill.dev/job-id";

absl::StatusOr<domain::Pair> route(const PartsPtr& parts, const JobSpec& spec, const Caller& caller) {
  const domain::Health health = [&parts](const ClusterId& id) {
    const auto known = parts->health->healthy.find(id);
    return known == parts->health->healthy.end() || known->second;
  };
  const domain::Dice dice = [&parts] { return std::uniform_real_distribution<double>()(parts->random); };
  WB_ASSIGN(domain::Pair pair, domain::choose_route(*parts->catalog->current, spec.command_criteria,
                                                    spec.cluster_criteria, health, dice));
  WB_TRY(domain::may_run(*pair.command, caller.name));
  return pair;
}

domain::JobRoute route_of(const domain::Pair& pair, const ports::Executor& executor) {
  domain::JobRoute route;
  route.command_id = pair.command->id;
  route.command_name = pair.command->name;
  route.cluster_id = pair.cluster->id;
  route.cluster_name = pair.cluster->name;
  route.plugin = pair.command->plugin;
  route.is_sync = pair.command->is_sync;
  route.host_local = executor.traits().host_local;
  route.command_revision = pair.command->revision;
  route.cluster_revision = pair.cluster->revision;
  return route;
}

// A job as it will be stored, after all checks.
Task<absl::StatusOr<Job>> make_job(PartsPtr parts, JobSpec spec, Caller caller) {
  WB_CO_TRY(check_spec(spec, parts->options, caller));  // as it was sent: errors name the place in a list
  spec = normalized(std::move(spec), caller);
  WB_CO_ASSIGN(const domain::Pair pair, route(parts, spec, caller));
  const std::shared_ptr<const Plan> plan = parts->plans->make(pair.command, pair.cluster);
  if (plan->executor == nullptr) {
    co_return unavailable("the plugin " + pair.command->plugin + " is not known to this server");
  }
  const ports::ExecutorTraits& traits = plan->executor->traits();
  if (spec.context) {
    WB_CO_TRY(check_context(*spec.context, traits, ports::ContextLevel::kJob, pair.command->locked_context));
  }
  Job job;
  job.id = JobId(parts->ids.next(parts->now()));
  job.spec = with_defaults_of(std::move(spec), *pair.command);
  job.route = route_of(pair, *plan->executor);
  job.created_at = time_in_id(job.id.str()).value_or(parts->now());
  job.updated_at = job.created_at;
  auto request = co_await parts->plans->request(plan, job);
  if (!request.ok())
    co_return unavailable(message(request.status()));  // the server's secrets, not the request
  WB_CO_TRY(plan->executor->validate(**request));
  co_return job;
}

std::optional<ports::IdempotencyKey> key_of(const PartsPtr& parts, std::string key, std::string endpoint,
                                            std::string hash, const Caller& caller) {
  if (key.empty()) return std::nullopt;
  return ports::IdempotencyKey{.caller = caller.name,
                               .key = std::move(key),
                               .endpoint = std::move(endpoint),
                               .request_hash = std::move(hash),
                               .keep = parts->options.idempotency};
}

absl::Status job_failed(const Job& job) {
  std::string text = job.state.error;
  if (text.empty() && job.state.status == JobStatus::kCanceled) {
    text = fmt::format("the job was canceled by {}", job.state.canceled_by);
  }
  if (text.empty()) {
    text = fmt::format("the job ended {} {}", to_string(job.state.status), to_string(job.state.reason));
  }
  absl::Status failed = error(absl::StatusCode::kFailedPrecondition, "job_failed", text);
  failed.SetPayload(kJobUrl, absl::Cord(job.id.str()));
  return failed;
}

using InsertedOr = absl::StatusOr<ports::Inserted>;

// Inserts a synchronous job and hands it to the runner: as one piece of work that goes on when the caller's
// connection has gone.
Task<void> accept_sync(PartsPtr parts, ports::NewJob job, std::optional<ports::IdempotencyKey> key,
                       std::shared_ptr<Once<InsertedOr>> answer) {
  InsertedOr inserted = co_await parts->ports.jobs.insert(std::move(job), std::move(key), 0);
  if (!inserted.ok() || !inserted->is_new) {
    parts->runner->give_back_sync();
    if (!inserted.ok()) parts->leases->there_may_be_strays();
  } else if (!parts->halted) {
    parts->runner->take(inserted->job, Runner::Took::kReserved);
  }
  answer->set(std::move(inserted));
}

absl::StatusOr<domain::JobState> leased_here(const PartsPtr& parts, const Job& job) {
  domain::Leased lease{parts->options.instance, job.route.host_local ? parts->options.host : ""};
  return domain::apply(job.state, lease, parts->now());
}

Task<absl::StatusOr<Submitted>> answer_when_done(PartsPtr parts, JobId id, bool is_new) {
  auto ending = co_await parts->endings->wait_for(id, !is_new);
  if (!ending.ok()) co_return ending.status();
  if (ending->job.state.status != JobStatus::kSucceeded) co_return job_failed(ending->job);
  Submitted answer;
  answer.is_new = is_new;
  answer.job = std::move(ending->job);
  answer.result = std::move(ending->result);
  co_return answer;
}

Task<absl::StatusOr<Submitted>> submit_sync(PartsPtr parts, Job job, std::optional<ports::IdempotencyKey> key,
                                            Caller caller) {
  if (!parts->may_start()) co_return unavailable("this server can't start jobs now: try again later");
  if (!parts->runner->reserve_sync()) {
    co_return error(
        absl::StatusCode::kResourceExhausted, "too_many_sync_jobs",
        fmt::format("{} synchronous jobs run here, which is all that may (pool.sync_size): try again "
                    "later",
                    parts->options.sync_size));
  }
  auto leased = leased_here(parts, job);
  if (!leased.ok()) co_return leased.status();
  job.state = *std::move(leased);
  ports::NewJob fresh{.job = std::move(job), .note = parts->note(caller.name)};
  auto answer = std::make_shared<Once<InsertedOr>>(parts->io);
  parts->spawn(accept_sync(parts, std::move(fresh), std::move(key), answer), "accept a synchronous job");
  auto inserted = co_await Once<InsertedOr>::get(answer);
  if (!inserted.ok()) co_return inserted.status();
  co_return co_await answer_when_done(parts, inserted->job.id, inserted->is_new);
}

using Made = std::vector<absl::StatusOr<Job>>;

// What a key has made already; empty: nothing. This is asked before anything is checked, as the command may
// have gone, or the caller's rights may have changed, since the first request.
Task<absl::StatusOr<Made>> made_before(PartsPtr parts, std::optional<ports::IdempotencyKey> key) {
  if (!key) co_return Made();
  auto made = co_await parts->ports.jobs.made_by(*std::move(key));
  co_return made;
}

Task<absl::StatusOr<Submitted>> answer_again(PartsPtr parts, absl::StatusOr<Job> job) {
  if (!job.ok()) co_return job.status();
  if (job->route.is_sync) co_return co_await answer_when_done(parts, job->id, false);
  Submitted answer;
  answer.is_new = false;
  answer.job = *std::move(job);
  co_return answer;
}

// A request without what its command's defaults may have changed.
std::string hash_without_defaults(JobSpec spec) {
  spec.timeout = absl::ZeroDuration();
  spec.max_attempts = 1;
  return request_hash(spec);
}

// The answers of a bulk request that comes again. Jobs that were refused have no place among the jobs made:
// where there are fewer of those than asked for, each goes to the next request that reads the same.
std::vector<absl::StatusOr<Submitted>> answer_all_again(const std::vector<JobSpec>& specs, Made made,
                                                        const Caller& caller) {
  std::vector<absl::StatusOr<Submitted>> answers;
  const bool all = made.size() == specs.size();
  std::size_t next = 0;
  for (const JobSpec& spec : specs) {
    const std::string hash = all ? "" : hash_without_defaults(normalized(spec, caller));
    std::size_t at = next;
    while (!all && at < made.size() && (!made[at].ok() || hash_without_defaults(made[at]->spec) != hash))
      ++at;
    if (at >= made.size()) {
      answers.emplace_back(
          not_found("the first request with this idempotency key made no job of this, or it "
                    "is gone: use a new key"));
      continue;
    }
    next = at + 1;
    if (!made[at].ok()) {
      answers.emplace_back(made[at].status());
      continue;
    }
    Submitted answer;
    answer.is_new = false;
    answer.job = *std::move(made[at]);
    answers.emplace_back(std::move(answer));
  }
  return answers;
}

Task<absl::StatusOr<Submitted>> store(PartsPtr parts, Job job, std::optional<ports::IdempotencyKey> key,
                                      Caller caller) {
  if (parts->stopping || parts->halted) co_return unavailable("the server is stopping: try again later");
  if (job.route.is_sync) co_return co_await submit_sync(parts, std::move(job), std::move(key), caller);
  ports::NewJob fresh{.job = std::move(job), .note = parts->note(caller.name)};
  auto inserted =
      co_await parts->ports.jobs.insert(std::move(fresh), std::move(key), parts->options.queued_per_user);
  if (!inserted.ok()) co_return inserted.status();
  if (!inserted->is_new && inserted->job.route.is_sync) {
    co_return co_await answer_when_done(parts, inserted->job.id, false);
  }
  Submitted answer;
  answer.is_new = inserted->is_new;
  answer.job = std::move(inserted->job);
  co_return answer;
}

}  // namespace

Submitter::Submitter(std::shared_ptr<EngineParts> parts) : parts_(std::move(parts)) {}

Task<absl::StatusOr<Submitted>> Submitter::submit(SubmitRequest request, domain::Caller caller) {
  const PartsPtr parts = parts_;
  std::string hash = request.idempotency_key.empty() ? "" : request_hash(normalized(request.spec, caller));
  auto key = key_of(parts, request.idempotency_key, "POST /job", std::move(hash), caller);
  request.spec.idempotency_key = std::move(request.idempotency_key);
  auto made = co_await made_before(parts, key);
  if (!made.ok()) co_return made.status();
  if (!made->empty()) co_return co_await answer_again(parts, std::move(made->front()));
  auto job = co_await make_job(parts, std::move(request.spec), caller);
  if (!job.ok()) co_return job.status();
  co_return co_await store(parts, *std::move(job), std::move(key), caller);
}

Task<absl::StatusOr<std::vector<absl::StatusOr<Submitted>>>> Submitter::submit_all(
    std::vector<domain::JobSpec> specs, bool atomic, std::string idempotency_key, domain::Caller caller) {
  const PartsPtr parts = parts_;
  if (specs.size() > kMostAtOnce) {
    co_return invalid(fmt::format("jobs has {} entries: at most {} are allowed", specs.size(), kMostAtOnce));
  }
  std::string hashes = atomic ? "atomic" : "";
  for (const JobSpec& spec : specs) {
    if (!idempotency_key.empty()) hashes += request_hash(normalized(spec, caller));
  }
  auto key = key_of(parts, idempotency_key, "POST /jobs", sha256_hex(hashes), caller);
  auto made = co_await made_before(parts, key);
  if (!made.ok()) co_return made.status();
  if (!made->empty()) co_return answer_all_again(specs, *std::move(made), caller);
  std::vector<absl::StatusOr<Submitted>> answers;
  std::vector<ports::NewJob> jobs;
  std::vector<std::size_t> places;  // of `jobs` among the answers
  bool all_good = true;
  for (JobSpec& spec : specs) {
    spec.idempotency_key = idempotency_key;
    auto job = co_await make_job(parts, std::move(spec), caller);
    if (job.ok() && job->route.is_sync) {
      job = invalid("synchronous commands can't be submitted in bulk: use POST /job");
    }
    answers.emplace_back(job.status().ok() ? absl::UnknownError("") : job.status());
    all_good = all_good && job.ok();
    if (!job.ok()) continue;
    places.push_back(answers.size() - 1);
    jobs.push_back({.job = *std::move(job), .note = parts->note(caller.name)});
  }
  if (atomic && !all_good) {
    for (const std::size_t place : places) {
      answers[place] = error(absl::StatusCode::kAborted, "not_stored",
                             "not stored: another job of this atomic request was refused");
    }
    co_return answers;
  }
  if (jobs.empty()) co_return answers;
  if (parts->stopping || parts->halted) co_return unavailable("the server is stopping: try again later");
  auto inserted = co_await parts->ports.jobs.insert_all(std::move(jobs), atomic, std::move(key),
                                                        parts->options.queued_per_user);
  if (!inserted.ok()) co_return inserted.status();
  for (std::size_t i = 0; i < places.size() && i < inserted->size(); ++i) {
    InsertedOr& one = (*inserted)[i];
    if (!one.ok()) {
      answers[places[i]] = one.status();
      continue;
    }
    Submitted stored;
    stored.is_new = one->is_new;
    stored.job = std::move(one->job);
    answers[places[i]] = std::move(stored);
  }
  co_return answers;
}

Task<absl::StatusOr<Submitted>> Submitter::rerun(JobId id, std::optional<boost::json::object> context,
                                                 domain::Caller caller, std::string idempotency_key) {
  const PartsPtr parts = parts_;
  auto key = key_of(parts, idempotency_key, "POST /job/{id}/rerun", rerun_hash(id, context), caller);
  auto made = co_await made_before(parts, key);
  if (!made.ok()) co_return made.status();
  if (!made->empty()) co_return co_await answer_again(parts, std::move(made->front()));
  auto first = co_await parts->ports.jobs.get(id);
  if (!first.ok()) co_return first.status();
  if (!caller.is_admin && first->spec.user != caller.name) {
    co_return denied("caller is neither the owner of this job nor an admin");
  }
  JobSpec spec = std::move(first->spec);
  if (context) spec.context = std::move(context);
  spec.rerun_of = id;
  spec.idempotency_key = std::move(idempotency_key);
  if (spec.priority > 0 && !caller.is_admin) spec.priority = 0;
  auto job = co_await make_job(parts, std::move(spec), caller);
  if (!job.ok()) co_return job.status();
  co_return co_await store(parts, *std::move(job), std::move(key), caller);
}

JobId job_id_of(const absl::Status& status) {
  const auto payload = status.GetPayload(kJobUrl);
  return payload ? JobId(std::string(*payload)) : JobId();
}

}  // namespace waybill::engine
