#pragma once

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace waybill::plugins {

// Starts `words` as a process of its own session that inherits nothing from this one but what it prints to
// standard error, which goes to `error_file`. Cheap also for a big process (vfork). Any thread. Unavailable
// with the reason.
[[nodiscard]] absl::StatusOr<pid_t> launch(const std::vector<std::string>& words,
                                           const std::string& error_file);

}  // namespace waybill::plugins
