#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/unique_fd.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

struct ShellOptions {
  // Runs a supervisor; the run's directory is appended. "/proc/self/exe" is this program, also after the file
  // was replaced.
  std::vector<std::string> supervisor = {"/proc/self/exe", "shell-supervise"};
  // The file behind supervisor[0] if it was opened: it is what runs, also after the file was replaced.
  std::shared_ptr<const UniqueFd> supervisor_program = nullptr;
  std::filesystem::path jobs_directory;
  ports::RunLimits limits;
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
