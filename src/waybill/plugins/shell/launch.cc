#include "waybill/plugins/shell/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "waybill/base/spawn.h"
#include "waybill/base/status.h"
#include "waybill/plugins/shell/supervisor.h"

namespace waybill::plugins {
absl::StatusOr<pid_t> launch(const std::vector<std::string>& words, const std::string& error_file,
                             const UniqueFd* program) {
  SpawnActions actions;
  int first_other = STDERR_FILENO + 1;
  std::string path = words[0];
  if (program != nullptr) {
    first_other = kSupervisorProgram + 1;
    path = "/proc/self/fd/" + std::to_string(kSupervisorProgram);
    actions.duplicate(program->get(), kSupervisorProgram);
  }
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  actions.open(STDERR_FILENO, error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  actions.close_from(first_other);
  actions.enter("/");
  const SpawnAttributes attributes(SpawnAttributes::Leads::kSession);
  const std::vector<std::string> environment = {
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
  pid_t pid = 0;
  const int problem = ::posix_spawn(&pid, path.c_str(), actions.get(), attributes.get(),
                                    exec_texts(words).data(), exec_texts(environment).data());
  if (problem == 0) return pid;
  return unavailable(
      fmt::format("cannot start the supervisor {}: {}", words[0], std::generic_category().message(problem)));
}

UniqueFd open_sibling(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return {};
  const std::string path = (self.parent_path() / name).string();
  if (::access(path.c_str(), X_OK) != 0) return {};
  return UniqueFd(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

}  // namespace waybill::plugins
