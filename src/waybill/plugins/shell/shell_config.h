#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "waybill/ports/executor.h"

namespace waybill::plugins {

struct ShellOptions {
  // Runs a supervisor; the run's directory is appended. "/proc/self/exe" is this program, also after the file
  // was replaced.
  std::vector<std::string> supervisor = {"/proc/self/exe", "shell-supervise"};
  std::filesystem::path jobs_directory;
  std::uint64_t log_bytes = 104'857'600;            // limits.log_bytes, of each stream
  std::size_t result_rows = 100'000;                // limits.result_rows
  std::size_t result_bytes = 67'108'864;            // limits.result_bytes
  absl::Duration cancel_grace = absl::Seconds(10);  // between TERM and KILL
  std::string run_as;  // shell.run_as: a user's name; empty: the server's own user
};

[[nodiscard]] ports::ExecutorTraits shell_traits();

// What the contexts ask for: the words of the child and the environment of its own.
struct ShellPlan {
  std::vector<std::string> words;  // command, then arguments; may be empty
  std::vector<std::pair<std::string, std::string>> environment;
};

// `command` and `env` of the cluster or the command (the cluster's wins; `env` name by name), `arguments` of
// the job. Whatever else a job's context holds is none of ours. InvalidArgument names the key and the type.
[[nodiscard]] absl::StatusOr<ShellPlan> shell_plan(const ports::JobRequest& request);

}  // namespace waybill::plugins
