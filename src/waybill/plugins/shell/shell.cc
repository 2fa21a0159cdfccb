#include "waybill/plugins/shell/shell.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/plugins/shell/shell_run.h"

namespace waybill::plugins {
namespace {

ports::Observation no_words() {
  ports::Observation seen;
  seen.phase = ports::RunPhase::kFailed;
  seen.error =
      "there is nothing to run: set \"command\" in the context of the command or the cluster, or "
      "\"arguments\" in "
      "the job's";
  return seen;
}

// Supervisors work in "/" and get the path from us.
ShellOptions absolute(ShellOptions options) {
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::absolute(options.jobs_directory, problem);
  if (!problem) options.jobs_directory = path.lexically_normal();
  return options;
}

}  // namespace

Shell::Shell(boost::asio::any_io_executor io, Pool& pool, ports::Nudge nudge, ShellOptions options)
    : traits_(shell_traits()),
      pool_(pool),
      options_(std::make_shared<const ShellOptions>(absolute(std::move(options)))),
      watch_(std::move(io), std::move(nudge)) {}

absl::Status Shell::validate(const ports::JobRequest& request) const { return shell_plan(request).status(); }

Task<absl::StatusOr<ports::StartResult>> Shell::start(std::shared_ptr<const ports::JobRequest> request) {
  WB_CO_ASSIGN(ShellPlan plan, shell_plan(*request));
  const ShellRun run{.job_id = request->job.id.str(), .attempt = request->job.state.attempt};
  ports::StartResult result;
  result.handle = to_handle(run);
  if (plan.words.empty()) {
    result.outcome = no_words();
    co_return result;
  }
  auto work = [options = options_, request, plan = std::move(plan)] {
    return start_run(*options, *request, plan);
  };
  absl::StatusOr<UniqueFd> started = co_await on(pool_, std::move(work));
  WB_CO_ASSIGN(UniqueFd supervisor, std::move(started));
  if (supervisor.ok()) launched_.insert(result.handle);
  watch_.watch_process(request->job.id, result.handle, std::move(supervisor));
  co_return result;
}

Task<absl::StatusOr<ports::Observation>> Shell::observe(std::shared_ptr<const ports::JobRequest> request,
                                                        domain::ExecutorHandle handle) {
  const std::optional<ShellRun> run = parse_handle(handle);
  if (!run) {
    ports::Observation unknown;
    unknown.phase = ports::RunPhase::kUnknown;
    co_return unknown;
  }
  const absl::StatusOr<ShellPlan> plan = shell_plan(*request);
  if (plan.ok() && plan->words.empty()) co_return no_words();
  // Before the look, so that a change after it is not missed.
  watch_.watch_output(request->job.id, handle, output_path(*options_, *run));
  const bool given_up = launched_.contains(handle) && !watch_.watches(handle);
  auto work = [options = options_, at = *run, given_up] { return look_at_run(*options, at, given_up); };
  absl::StatusOr<ShellSight> looked = co_await on(pool_, std::move(work));
  WB_CO_ASSIGN(ShellSight sight, std::move(looked));
  const bool is_over =
      sight.seen.phase != ports::RunPhase::kPending && sight.seen.phase != ports::RunPhase::kRunning;
  if (is_over) watch_.forget_output(handle);
  if (!watch_.watches(handle)) watch_.watch_process(request->job.id, handle, std::move(sight.supervisor));
  co_return std::move(sight.seen);
}

Task<absl::Status> Shell::cancel(std::shared_ptr<const ports::JobRequest> /*request*/,
                                 domain::ExecutorHandle handle) {
  const std::optional<ShellRun> run = parse_handle(handle);
  if (!run) co_return absl::OkStatus();
  auto work = [options = options_, at = *run] { return cancel_run(*options, at); };
  absl::Status status = co_await on(pool_, std::move(work));
  co_return status;
}

Task<absl::Status> Shell::cleanup(std::shared_ptr<const ports::JobRequest> /*request*/,
                                  domain::ExecutorHandle handle) {
  const std::optional<ShellRun> run = parse_handle(handle);
  if (!run) co_return absl::OkStatus();
  launched_.erase(handle);
  watch_.forget_output(handle);
  auto work = [options = options_, at = *run] { return remove_run(*options, at); };
  absl::Status status = co_await on(pool_, std::move(work));
  co_return status;
}

Task<absl::Status> Shell::check(std::shared_ptr<const domain::Cluster> /*cluster*/) {
  co_return absl::OkStatus();
}

void Shell::set_limits(const ports::RunLimits& limits) {
  auto changed = std::make_shared<ShellOptions>(*options_);
  changed->limits = limits;
  options_ = std::move(changed);
}

}  // namespace waybill::plugins
