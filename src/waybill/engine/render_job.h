#pragma once

#include <memory>
#include <optional>

#include "waybill/base/pool.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/domain/attribute.h"
#include "waybill/domain/job.h"
#include "waybill/engine/attributes.h"
#include "waybill/engine/plans.h"

namespace waybill::engine {

struct EngineParts;

// Threads for rendering. What once took long queues apart, so that the templates of one cluster don't make
// the jobs of all others wait.
struct RenderLanes {
  Pool& quick;
  Pool& slow;
};

struct RenderInput {
  std::shared_ptr<const Plan> plan;
  domain::Job job;  // its attributes are those that may stay
  domain::Outputs outputs;
  bool final = false;
  const Redactor* redactor = nullptr;
  RenderOptions options;
};

// Renders the attributes of a job off the io thread.
Task<Rendered> render_job(RenderLanes lanes, std::shared_ptr<const RenderInput> input);

// The last rendering of a job that ends without a run that this server follows: canceled in the queue, or its
// host is lost. Nothing where the job has not ended, or has no attributes.
Task<std::optional<Rendered>> render_unfollowed(std::shared_ptr<EngineParts> parts, domain::Job job);

}  // namespace waybill::engine
