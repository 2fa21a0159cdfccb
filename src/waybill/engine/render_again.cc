#include "waybill/engine/render_again.h"

#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/plans.h"
#include "waybill/engine/render_job.h"

namespace waybill::engine {
namespace {

// The entries that count now where they still exist, else those of the submit.
Task<absl::StatusOr<std::shared_ptr<const Plan>>> present_plan(std::shared_ptr<EngineParts> parts,
                                                               domain::JobRoute route) {
  const std::shared_ptr<const domain::Catalog> catalog = parts->catalog->current;
  const auto command = catalog->commands.find(route.command_id);
  const auto cluster = catalog->clusters.find(route.cluster_id);
  if (command != catalog->commands.end() && cluster != catalog->clusters.end()) {
    co_return parts->plans->make(command->second, cluster->second);
  }
  co_return co_await parts->plans->of(std::move(route));
}

// What misses an output will always miss it: says so.
void explain_missing_outputs(domain::AttributeErrors& errors) {
  for (auto& [label, error] : errors) {
    if (error.find(".Outputs") != std::string::npos) {
      error += "; nothing that the job published was kept (config keep_outputs)";
    }
  }
}

}  // namespace

Task<absl::StatusOr<domain::Job>> render_again(std::shared_ptr<EngineParts> parts, JobId id,
                                               domain::Caller by) {
  if (!by.is_admin) co_return denied("caller is not an admin: only admins render attributes again");
  auto job = co_await parts->ports.jobs.get(id);
  if (!job.ok()) co_return job.status();
  auto plan = co_await present_plan(parts, job->route);
  if (!plan.ok()) co_return plan.status();
  auto outputs = co_await parts->ports.jobs.kept_outputs(id);
  if (!outputs.ok() && !absl::IsNotFound(outputs.status())) co_return outputs.status();
  auto input = std::make_shared<RenderInput>();
  input->plan = *std::move(plan);
  input->job = *job;
  if (outputs.ok()) input->outputs = *std::move(outputs);
  input->final = domain::is_final(job->state.status);
  input->redactor = &parts->ports.redactor;
  input->options = parts->options.render;
  const bool none_known = input->outputs.empty();
  auto rendered = co_await render_job(parts->ports.lanes, std::move(input));
  if (none_known) explain_missing_outputs(rendered.errors);
  ports::JobWrite write;
  write.id = job->id;
  write.expected_status = job->state.status;
  write.expected_epoch = job->state.epoch;
  write.state = job->state;
  write.attributes = std::move(rendered.attributes);
  write.attribute_errors = std::move(rendered.errors);
  write.note = parts->note(by.name);
  auto written = co_await parts->ports.jobs.write(std::move(write));
  if (absl::IsAborted(written.status())) co_return conflict("the job changed meanwhile: try again");
  co_return written;
}

}  // namespace waybill::engine
