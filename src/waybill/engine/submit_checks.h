#pragma once

#include <absl/status/status.h>

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "waybill/domain/caller.h"
#include "waybill/domain/catalog.h"
#include "waybill/domain/job.h"
#include "waybill/engine/engine.h"

// What a job can't be, and what counts of it. Pure.
namespace waybill::engine {

// InvalidArgument that names the member and what is allowed; PermissionDenied for a priority above 0.
[[nodiscard]] absl::Status check_spec(const domain::JobSpec& spec, const EngineOptions& options,
                                      const domain::Caller& caller);

// Tags and criteria in order, the caller's name.
[[nodiscard]] domain::JobSpec normalized(domain::JobSpec spec, const domain::Caller& caller);

// The command's timeout and attempts merged in: the shorter of two timeouts, the job's own number of attempts
// where it gives more than one.
[[nodiscard]] domain::JobSpec with_defaults_of(domain::JobSpec spec, const domain::Command& command);

// SHA-256 of the canonical text of what was asked for.
[[nodiscard]] std::string request_hash(const domain::JobSpec& spec);

// Likewise of a rerun: which job, and the context that replaces its own.
[[nodiscard]] std::string rerun_hash(const JobId& id, const std::optional<boost::json::object>& context);

}  // namespace waybill::engine
