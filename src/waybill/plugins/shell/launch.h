#pragma once

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "waybill/base/unique_fd.h"

namespace waybill::plugins {

// Starts `words` as a process of its own session that inherits nothing from this one but what it prints to
// standard error, which goes to `error_file`. Cheap also for a big process (vfork). Any thread. Unavailable
// with the reason.
//
// With `program`, that open file is run and words[0] is only its name; it is told of the descriptor by
// kSupervisorProgram (supervisor.h).
[[nodiscard]] absl::StatusOr<pid_t> launch(const std::vector<std::string>& words,
                                           const std::string& error_file, const UniqueFd* program = nullptr);

// The program `name` beside this one, opened; not ok(): there is none that can be run.
[[nodiscard]] UniqueFd open_sibling(const std::string& name);

}  // namespace waybill::plugins
