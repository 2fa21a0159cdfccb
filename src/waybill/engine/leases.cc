#include "waybill/engine/leases.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/decide.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/render_job.h"
#include "waybill/engine/runner.h"
#include "waybill/engine/shared_directories.h"

namespace waybill::engine {
namespace {

constexpr std::size_t kBatch = 256;  // writes that share a commit
constexpr std::size_t kOrphans = 100;
constexpr std::size_t kCancels = 1000;
constexpr absl::Duration kLostHostsEvery = absl::Seconds(30);
constexpr absl::Duration kStraysEvery = absl::Minutes(5);

}  // namespace

Leases::Leases(EngineParts& parts) : parts_(parts), wake_(parts.io) {}

ports::Instance Leases::self() const {
  const EngineOptions& options = parts_.options;
  return {.id = options.instance,
          .host = options.host,
          .roles = options.roles,
          .version = options.version,
          .directories = options.directories};
}

Task<absl::Status> Leases::check_directories() {
  if (parts_.options.directories.empty()) co_return absl::OkStatus();
  const auto alive = co_await parts_.ports.jobs.instances(parts_.options.lease);
  WB_CO_TRY(alive);
  co_return check_shared_directories(self(), *alive);
}

// Looks before it registers, so that a server that is refused again and again keeps no other from starting;
// and after it, because of two that start at the same time one must see the other.
Task<absl::Status> Leases::join() {
  const absl::Status before = co_await check_directories();
  WB_CO_TRY(before);
  const absl::Status registered = co_await beat();
  WB_CO_TRY(registered);
  const absl::Status after = co_await check_directories();
  if (!after.ok()) co_await leave();
  co_return after;
}

Task<void> Leases::leave() {
  if (parts_.options.directories.empty() || !parts_.database_answers) co_return;
  ports::Instance gone = self();
  gone.directories.clear();
  const absl::Status said = co_await parts_.ports.jobs.heartbeat(std::move(gone));
  if (!said.ok()) parts_.ports.log.warn("the end can't be told to others", {{"error", message(said)}});
}

Task<absl::Status> Leases::beat() {
  const EngineOptions& options = parts_.options;
  const absl::Time sent = parts_.now();
  const absl::Status renewed = co_await parts_.ports.jobs.heartbeat(self());
  parts_.database_answers = renewed.ok();
  if (!renewed.ok() || parts_.halted) co_return renewed;
  // Late: another instance may have taken jobs over meanwhile, and started them.
  if (parts_.started && sent - parts_.renewed_at >= options.renew_limit) parts_.runner->all_may_be_stale();
  parts_.renewed_at = sent;
  co_return absl::OkStatus();
}

Task<absl::Status> Leases::adopt_own() {
  auto jobs = co_await parts_.ports.jobs.owned_by(parts_.options.instance);
  if (!jobs.ok()) co_return jobs.status();
  if (!jobs->empty()) {
    parts_.ports.log.info("adopts the jobs of the last run", {{"jobs", std::to_string(jobs->size())}});
  }
  co_await adopt(*std::move(jobs));
  next_strays_ = std::min(next_strays_, parts_.now() + kStraysEvery);
  co_return absl::OkStatus();
}

// A claim or an insert may be committed although its answer never came.
Task<void> Leases::adopt_strays() {
  if (parts_.stopping || parts_.halted || parts_.now() < next_strays_) co_return;
  next_strays_ = parts_.now() + kStraysEvery;
  auto jobs = co_await parts_.ports.jobs.owned_by(parts_.options.instance);
  if (!jobs.ok() || parts_.stopping || parts_.halted) co_return;
  std::erase_if(*jobs, [this](const domain::Job& job) { return parts_.runner->find(job.id) != nullptr; });
  co_await adopt(*std::move(jobs));
}

Task<void> Leases::run() {
  const std::shared_ptr<EngineParts> keep = parts_.shared_from_this();
  while (!parts_.stopping && !parts_.halted) {
    co_await wake_.wait(parts_.ports.clock, parts_.options.heartbeat);
    if (parts_.stopping || parts_.halted) co_return;
    const absl::Status renewed = co_await beat();
    if (parts_.halted) co_return;
    if (!renewed.ok()) {
      parts_.ports.log.warn("the lease can't be renewed now", {{"error", message(renewed)}});
      continue;
    }
    co_await look_for_cancels();
    co_await adopt_strays();
    if (parts_.stopping || parts_.halted || !parts_.has_role("worker")) continue;
    co_await take_over_orphans();
    co_await give_up_lost_hosts();
  }
}

Task<void> Leases::take_over_orphans() {
  const EngineOptions& options = parts_.options;
  auto jobs = co_await parts_.ports.jobs.orphans(options.instance, options.host, options.lease, kOrphans);
  if (!jobs.ok() || jobs->empty() || parts_.stopping || parts_.halted) co_return;
  parts_.ports.log.info("takes over jobs of an instance that is gone",
                        {{"jobs", std::to_string(jobs->size())}});
  co_await adopt(*std::move(jobs));
}

Task<void> Leases::give_up_lost_hosts() {
  if (parts_.stopping || parts_.halted || parts_.now() < next_lost_hosts_) co_return;
  next_lost_hosts_ = parts_.now() + kLostHostsEvery;
  auto jobs =
      co_await parts_.ports.jobs.lost_hosts(parts_.options.host, parts_.options.host_lost_after, kOrphans);
  if (!jobs.ok() || parts_.stopping || parts_.halted) co_return;
  std::vector<Task<absl::Status>> writes;
  for (domain::Job& job : *jobs) writes.push_back(give_up(std::move(job)));
  const auto given_up = co_await gather(parts_.io, std::move(writes));
  static_cast<void>(given_up);  // what failed is found again
}

void Leases::look_for_cancels_soon() { parts_.spawn(look_for_cancels(), "cancels"); }

// Notices are hints: a cancel whose notice got lost is found here.
Task<void> Leases::look_for_cancels() {
  if (parts_.halted || parts_.runner->total() == 0) co_return;
  ports::JobFilter canceling;
  canceling.statuses = {domain::JobStatus::kCanceling};
  ports::PageRequest page;
  page.limit = kCancels;
  auto found = co_await parts_.ports.jobs.list(std::move(canceling), std::move(page));
  if (!found.ok() || parts_.halted) co_return;
  for (const domain::Job& job : found->jobs) {
    if (job.state.owner == parts_.options.instance) parts_.runner->cancel_noticed(job.id);
  }
}

Task<void> Leases::adopt(std::vector<domain::Job> jobs) {
  for (std::size_t from = 0; from < jobs.size() && !parts_.halted; from += kBatch) {
    std::vector<Task<absl::Status>> writes;
    for (std::size_t i = from; i < std::min(jobs.size(), from + kBatch); ++i) {
      writes.push_back(adopt_one(std::move(jobs[i])));
    }
    const auto adopted = co_await gather(parts_.io, std::move(writes));
    for (const absl::Status& status : adopted) {
      if (status.ok() || absl::IsAborted(status)) continue;
      there_may_be_strays();
      parts_.ports.log.warn("a job can't be taken over now", {{"error", message(status)}});
    }
  }
}

Task<absl::Status> Leases::adopt_one(domain::Job job) {
  domain::Leased lease{parts_.options.instance, job.route.host_local ? parts_.options.host : ""};
  ports::JobWrite write;
  write.id = job.id;
  write.expected_status = job.state.status;
  write.expected_epoch = job.state.epoch;
  write.note = parts_.note();
  WB_CO_ASSIGN(write.state, domain::apply(job.state, lease, parts_.now()));
  auto leased = co_await parts_.ports.jobs.write(std::move(write));
  if (!leased.ok()) co_return leased.status();
  if (!parts_.halted) parts_.runner->take(*std::move(leased), Runner::Took::kAdopted);
  co_return absl::OkStatus();
}

Task<absl::Status> Leases::give_up(domain::Job job) {
  const Circumstances circumstances{.max_attempts = job.spec.max_attempts, .now = parts_.now()};
  domain::JobChange change = domain::CancelConfirmed{};
  if (job.state.status != domain::JobStatus::kCanceling) {
    change = attempt_ended(job.state, domain::EndReason::kHostLost,
                           "the host " + job.state.host.substr(0, job.state.host.find('/')) +
                               " that ran it has been away for too long",
                           circumstances);
  }
  ports::JobWrite write;
  write.id = job.id;
  write.expected_status = job.state.status;
  write.expected_epoch = job.state.epoch;
  write.note = parts_.note();
  WB_CO_ASSIGN(write.state, domain::apply(job.state, change, parts_.now()));
  job.state = write.state;
  auto rendered = co_await render_unfollowed(parts_.shared_from_this(), std::move(job));
  if (rendered) {
    write.attributes = std::move(rendered->attributes);
    write.attribute_errors = std::move(rendered->errors);
  }
  auto written = co_await parts_.ports.jobs.write(std::move(write));
  co_return written.status();
}

}  // namespace waybill::engine
