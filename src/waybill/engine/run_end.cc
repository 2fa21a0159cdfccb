#include <absl/status/status.h>

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/endings.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/render_job.h"
#include "waybill/engine/runner.h"

// How an attempt ends: result first, then the state, then what is left of the run.
namespace waybill::engine {

using domain::JobStatus;

namespace {

constexpr int kCleanUpTries = 3;
constexpr absl::Duration kResultWait = absl::Seconds(1);
constexpr absl::Duration kLongestResultWait = absl::Seconds(30);

bool is_over(const domain::JobState& state) {
  return domain::is_final(state.status) || state.status == JobStatus::kNew;
}

}  // namespace

Circumstances Runner::circumstances(const LiveJob& live) const {
  return {.max_attempts = live.job.spec.max_attempts, .timed_out = live.timed_out, .now = parts_.now()};
}

Task<void> Runner::end(LiveJobPtr live, ports::Observation seen,
                       std::optional<domain::ExecutorHandle> handle) {
  // Of a run that is gone, or was lost, there may be nothing to read any more.
  const bool is_whole = seen.phase == ports::RunPhase::kSucceeded || seen.phase == ports::RunPhase::kFailed;
  if (is_whole || !seen.outputs.empty()) {
    live->outputs = seen.outputs;
    live->observed = true;
  }
  if (handle) live->run = *handle;
  auto result_info = co_await keep_result(live, seen.result);
  while (!parts_.halted && !is_over(live->job.state)) {
    domain::JobState from = live->job.state;
    if (handle) {
      const auto started = domain::apply(from, domain::Started{*handle}, parts_.now());
      if (started.ok()) from = *started;
    }
    const auto change = change_for(from, seen, circumstances(*live));
    if (!change) co_return;
    auto next = domain::apply(from, *change, parts_.now());
    if (!next.ok()) break;
    Extras extras = co_await extras_for(live, *next);
    extras.result_info = result_info;
    const Written written = co_await writer_.commit(live, *std::move(next), std::move(extras));
    if (written == Written::kWritten) break;
    if (written == Written::kStopped) co_return;
    if (written == Written::kLost) {
      abandon(live);
      co_return;
    }
  }
  if (parts_.halted) co_return;
  settled(live, seen.result);
  parts_.spawn(clean_up(live), "clean up after a run");
}

Task<void> Runner::end_with(LiveJobPtr live, domain::JobChange change) {
  while (!parts_.halted && !is_over(live->job.state)) {
    auto next = domain::apply(live->job.state, change, parts_.now());
    if (!next.ok()) {
      // CANCELING meanwhile: whatever it was, the run is not there.
      change = domain::CancelConfirmed{};
      next = domain::apply(live->job.state, change, parts_.now());
      if (!next.ok()) break;
    }
    Extras extras = co_await extras_for(live, *next);
    const Written written = co_await writer_.commit(live, *std::move(next), std::move(extras));
    if (written == Written::kWritten) break;
    if (written == Written::kChanged) continue;
    live->gone = written == Written::kLost;
    co_return;
  }
  if (!parts_.halted) settled(live, nullptr);
}

void Runner::settled(const LiveJobPtr& live, std::shared_ptr<const domain::ResultTable> result) {
  live->gone = true;
  if (!domain::is_final(live->job.state.status)) return;
  Ending ending;
  ending.job = live->job;
  ending.result = std::move(result);
  parts_.endings->tell(ending);
}

// Tries until it is stored: a full disk loses no result.
Task<std::optional<boost::json::value>> Runner::keep_result(
    LiveJobPtr live, std::shared_ptr<const domain::ResultTable> result) {
  if (!result) co_return std::nullopt;
  for (absl::Duration wait = kResultWait; !parts_.halted; wait = std::min(wait * 2, kLongestResultWait)) {
    auto info = co_await parts_.ports.results.put(live->job.id, result);
    if (info.ok()) co_return *std::move(info);
    parts_.ports.log.error("a result can't be stored",
                           {{"job", live->job.id.str()}, {"error", message(info.status())}});
    const bool later = absl::IsUnavailable(info.status()) || absl::IsResourceExhausted(info.status());
    if (!later || parts_.stopping) co_return std::nullopt;
    co_await parts_.ports.clock.sleep(wait);
  }
  co_return std::nullopt;
}

Task<Extras> Runner::extras_for(LiveJobPtr live, domain::JobState next) {
  Extras extras;
  if (next.status == JobStatus::kNew) co_return extras;
  const bool outputs_known = live->observed || !live->adopted;
  if (parts_.options.keep_outputs && outputs_known) extras.kept_outputs = live->outputs;
  if (!live->plan) {
    auto plan = co_await parts_.plans->of(live->job.route);
    if (!plan.ok()) co_return extras;
    live->plan = *std::move(plan);
  }
  if (live->plan->attributes->items().empty()) co_return extras;
  auto input = std::make_shared<RenderInput>();
  input->plan = live->plan;
  input->job = live->job;
  input->job.state = std::move(next);
  input->job.updated_at = parts_.now();  // as the write that follows has it
  input->outputs = live->outputs;
  input->final = domain::is_final(input->job.state.status);
  input->redactor = &parts_.ports.redactor;
  input->options = parts_.options.render;
  input->options.outputs_known = outputs_known;
  auto rendered = co_await render_job(parts_.ports.lanes, std::move(input));
  extras.attributes = std::move(rendered.attributes);
  extras.attribute_errors = std::move(rendered.errors);
  co_return extras;
}

Task<void> Runner::clean_up(LiveJobPtr live) {
  if (live->run.empty() || !live->request) co_return;
  for (int tried = 1; tried <= kCleanUpTries && !parts_.halted; ++tried) {
    auto call = live->plan->executor->cleanup(live->request, live->run);
    const absl::Status cleaned =
        co_await with_deadline(parts_.io, parts_.ports.clock, parts_.options.call_limit, std::move(call));
    if (cleaned.ok() || parts_.halted) co_return;
    parts_.ports.log.warn("what a run left can't be removed",
                          {{"job", live->job.id.str()}, {"error", message(cleaned)}});
    if (tried < kCleanUpTries) co_await parts_.ports.clock.sleep(domain::retry_delay(tried));
  }
}

// The job is no longer ours. Where another instance follows the same run, that is none of our business; where
// the job ended or went on without its run (a host that came back after it was given up), the run is ended.
void Runner::abandon(const LiveJobPtr& live) {
  live->gone = true;
  if (live->run.empty() || !live->request) return;
  const domain::JobState& now = live->job.state;
  const bool given_up = now.attempt > live->request->job.state.attempt || domain::is_final(now.status);
  if (given_up && live->job.route.host_local) parts_.spawn(end_run(live), "end an abandoned run");
}

Task<void> Runner::end_run(LiveJobPtr live) {
  auto call = live->plan->executor->cancel(live->request, live->run);
  const absl::Status told =
      co_await with_deadline(parts_.io, parts_.ports.clock, parts_.options.call_limit, std::move(call));
  if (told.ok() || parts_.halted) co_return;
  parts_.ports.log.warn("a run that was given up can't be ended",
                        {{"job", live->job.id.str()}, {"error", message(told)}});
}

}  // namespace waybill::engine
