#pragma once

#include <absl/status/status.h>

#include <vector>

#include "waybill/ports/job_store.h"

namespace waybill::engine {

// Servers of one database must work with the same directories: a log or result that one wrote is asked of
// the other. FailedPrecondition says which directory isn't the one of which of `alive`.
[[nodiscard]] absl::Status check_shared_directories(const ports::Instance& self,
                                                    const std::vector<ports::Instance>& alive);

}  // namespace waybill::engine
