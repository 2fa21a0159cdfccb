#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "waybill/kube/resource.h"

namespace waybill::plugins {

// Why an object could not be made, as the job's error says it: what is wrong, in the server's own words, and
// what to do. The code decides what becomes of the job: quotas and busy servers may be tried again, what the
// server does not take may not.
[[nodiscard]] absl::Status start_error(const absl::Status& why, const kube::Resource& resource,
                                       std::string_view name_space, std::string_view server);

// Whether the same call may succeed in a moment.
[[nodiscard]] bool may_pass(const absl::Status& why);

}  // namespace waybill::plugins
