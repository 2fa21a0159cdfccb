#include "waybill/engine/render_job.h"

#include <ctime>
#include <optional>
#include <utility>

#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace {

// Of the thread's own time, so that a busy machine makes nothing slow.
constexpr double kSlowSeconds = 0.02;

double thread_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Rendered timed(const RenderInput& input) {
  const double start = thread_seconds();
  const Plan& plan = *input.plan;
  const gotemplate::Data data =
      template_data(input.job, *plan.command, *plan.cluster, input.outputs, *input.redactor);
  Rendered rendered = render(*plan.attributes, data, input.job.attributes, input.final, input.options);
  if (thread_seconds() - start > kSlowSeconds) plan.attributes->note_slow();
  return rendered;
}

}  // namespace

Task<Rendered> render_job(RenderLanes lanes, std::shared_ptr<const RenderInput> input) {
  if (!input->plan->attributes->is_slow()) {
    // It may have turned out to be slow while this one waited.
    auto work = [input] {
      return input->plan->attributes->is_slow() ? std::nullopt : std::optional<Rendered>(timed(*input));
    };
    auto rendered = co_await on(lanes.quick, std::move(work));
    if (rendered) co_return *std::move(rendered);
  }
  auto work = [input] { return timed(*input); };
  auto rendered = co_await on(lanes.slow, std::move(work));
  co_return rendered;
}

Task<std::optional<Rendered>> render_unfollowed(std::shared_ptr<EngineParts> parts, domain::Job job) {
  if (!domain::is_final(job.state.status)) co_return std::nullopt;
  auto plan = co_await parts->plans->of(job.route);
  if (!plan.ok() || (*plan)->attributes->items().empty()) co_return std::nullopt;
  auto input = std::make_shared<RenderInput>();
  input->options = parts->options.render;
  if (parts->options.keep_outputs) {
    auto kept = co_await parts->ports.jobs.kept_outputs(job.id);
    if (kept.ok()) input->outputs = *std::move(kept);
  }
  input->options.outputs_known = !input->outputs.empty();
  input->plan = *std::move(plan);
  input->job = std::move(job);
  input->job.updated_at = parts->now();
  input->final = true;
  input->redactor = &parts->ports.redactor;
  auto rendered = co_await render_job(parts->ports.lanes, std::move(input));
  co_return rendered;
}

}  // namespace waybill::engine
