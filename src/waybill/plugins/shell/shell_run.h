#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>

#include "waybill/base/unique_fd.h"
#include "waybill/plugins/shell/shell_config.h"
#include "waybill/ports/executor.h"

// One run of the shell as the server sees it: files and processes, no coroutines. Everything here blocks for
// a moment: on the pool.
namespace waybill::plugins {

// Which run: what a handle says.
struct ShellRun {
  std::string job_id;
  int attempt = 1;
};
[[nodiscard]] std::string to_handle(const ShellRun& run);  // "shell <job id>/<attempt>"
[[nodiscard]] std::optional<ShellRun> parse_handle(const std::string& handle);

// Prepares the run's files unless they are there, and starts a supervisor unless there is one or was one.
// Answers its pidfd; not ok(): there was nothing to start. Never starts the program twice, also after a crash
// at any point.
[[nodiscard]] absl::StatusOr<UniqueFd> start_run(const ShellOptions& options,
                                                 const ports::JobRequest& request, const ShellPlan& plan);

struct ShellSight {
  ports::Observation seen;
  UniqueFd supervisor;  // a pidfd, if it runs
};
// What is the case. A run whose supervisor is gone without a word is ended here: what is left of it is
// killed. `given_up`: the supervisors that were started for it have ended; else one that has not begun gets
// some time.
[[nodiscard]] absl::StatusOr<ShellSight> look_at_run(const ShellOptions& options, const ShellRun& run,
                                                     bool given_up);

// Asks the supervisor to end it; one that has not begun never will.
[[nodiscard]] absl::Status cancel_run(const ShellOptions& options, const ShellRun& run);

// Removes the run's directory; logs and what the job wrote stay.
[[nodiscard]] absl::Status remove_run(const ShellOptions& options, const ShellRun& run);

// Where the job's $WAYBILL_OUTPUT lies.
[[nodiscard]] std::string output_path(const ShellOptions& options, const ShellRun& run);

}  // namespace waybill::plugins
