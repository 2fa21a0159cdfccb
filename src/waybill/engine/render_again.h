#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/domain/job.h"

namespace waybill::engine {

struct EngineParts;

// Renders a job's attributes once more with the templates that count now for its command and cluster, over
// the outputs that were kept (config `keep_outputs`). Admins only. What can't be rendered without its outputs
// stays as it was.
Task<absl::StatusOr<domain::Job>> render_again(std::shared_ptr<EngineParts> parts, JobId id,
                                               domain::Caller by);

}  // namespace waybill::engine
