#pragma once

#include <string>

#include "waybill/ports/executor.h"

namespace waybill::plugins {

// The context.json of a job: {job, command, cluster, runtime} in Heimdall's form, secrets as they are (the
// file is the job's own, 0600). `directory` is the job's, absolute.
[[nodiscard]] std::string context_json(const ports::JobRequest& request, const std::string& directory);

}  // namespace waybill::plugins
