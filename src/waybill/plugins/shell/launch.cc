#include "waybill/plugins/shell/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "waybill/base/status.h"
#include "waybill/plugins/shell/supervisor.h"

namespace waybill::plugins {
namespace {

struct Actions {
  Actions() { ::posix_spawn_file_actions_init(&value); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&value); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  posix_spawn_file_actions_t value = {};
};

struct Attributes {
  Attributes() { ::posix_spawnattr_init(&value); }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t value = {};
};

}  // namespace

absl::StatusOr<pid_t> launch(const std::vector<std::string>& words, const std::string& error_file,
                             const storage::UniqueFd* program) {
  Actions actions;
  int first_other = STDERR_FILENO + 1;
  std::string path = words[0];
  if (program != nullptr) {
    first_other = kSupervisorProgram + 1;
    path = "/proc/self/fd/" + std::to_string(kSupervisorProgram);
    ::posix_spawn_file_actions_adddup2(&actions.value, program->get(), kSupervisorProgram);
  }
  ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions.value, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions.value, STDERR_FILENO, error_file.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  ::posix_spawn_file_actions_addclosefrom_np(&actions.value, first_other);
  ::posix_spawn_file_actions_addchdir_np(&actions.value, "/");

  Attributes attributes;
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes.value, &none);
  ::posix_spawnattr_setsigdefault(&attributes.value, &all);
  ::posix_spawnattr_setflags(&attributes.value,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::string search = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  std::vector<char*> environment = {search.data(), nullptr};
  pid_t pid = 0;
  const int problem = ::posix_spawn(&pid, path.c_str(), &actions.value, &attributes.value, arguments.data(),
                                    environment.data());
  if (problem == 0) return pid;
  return unavailable(
      fmt::format("cannot start the supervisor {}: {}", words[0], std::generic_category().message(problem)));
}

storage::UniqueFd open_sibling(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return {};
  const std::string path = (self.parent_path() / name).string();
  if (::access(path.c_str(), X_OK) != 0) return {};
  return storage::UniqueFd(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

}  // namespace waybill::plugins
