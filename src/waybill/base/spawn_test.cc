#include "waybill/base/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "waybill/base/unique_fd.h"

namespace waybill {
namespace {

struct Ended {
  std::string printed;
  int status = -1;
};

Ended run_script(const std::string& script, SpawnActions& actions, const SpawnAttributes& attributes) {
  Pipe out;
  EXPECT_TRUE(make_pipe(out));
  actions.duplicate(out.write.get(), STDOUT_FILENO);
  actions.close_from(STDERR_FILENO + 1);
  const std::vector<std::string> words = {"/bin/sh", "-c", script};
  const std::vector<std::string> variables = {"COLOUR=red"};
  pid_t pid = 0;
  EXPECT_EQ(::posix_spawn(&pid, words[0].c_str(), actions.get(), attributes.get(), exec_texts(words).data(),
                          exec_texts(variables).data()),
            0);
  out.write.reset();
  Ended ended;
  char byte = 0;
  while (::read(out.read.get(), &byte, 1) == 1) ended.printed += byte;
  while (::waitpid(pid, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

Ended run_script(const std::string& script, SpawnAttributes::Leads leads = SpawnAttributes::Leads::kGroup) {
  SpawnActions actions;
  return run_script(script, actions, SpawnAttributes(leads));
}

TEST(Spawn, WordsAndVariablesArriveAsTheyAre) {
  const Ended ended = run_script("echo \"$COLOUR\"; exit 3");
  EXPECT_EQ(ended.printed, "red\n");
  ASSERT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 3);
}

TEST(Spawn, LeadsAGroupOrASession) {
  const std::string script =
      "read -r pid name state parent group session rest < /proc/$$/stat\n"
      "echo $((group == $$)) $((session == $$))";
  EXPECT_EQ(run_script(script, SpawnAttributes::Leads::kGroup).printed, "1 0\n");
  EXPECT_EQ(run_script(script, SpawnAttributes::Leads::kSession).printed, "1 1\n");
}

TEST(Spawn, InheritsNoSignalsAndNoFiles) {
  const UniqueFd kept(::fcntl(STDIN_FILENO, F_DUPFD, 9));  // outlives an exec
  ASSERT_TRUE(kept.ok());
  const std::string file = "/proc/self/fd/" + std::to_string(kept.get());
  EXPECT_EQ(run_script("[ -e " + file + " ] && echo open || echo closed").printed, "closed\n");

  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(::sigprocmask(SIG_BLOCK, &blocked, &before), 0);
  const Ended terminated = run_script("kill -TERM $$; echo survived");
  EXPECT_EQ(terminated.printed, "");
  EXPECT_TRUE(WIFSIGNALED(terminated.status));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);

  const auto handled = ::signal(SIGUSR1, SIG_IGN);
  const Ended signaled = run_script("kill -USR1 $$; echo survived");
  EXPECT_EQ(signaled.printed, "");
  EXPECT_TRUE(WIFSIGNALED(signaled.status));
  ::signal(SIGUSR1, handled);
}

TEST(Spawn, OpensFilesAndEntersAFolder) {
  SpawnActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.enter("/proc");
  const Ended ended =
      run_script("read -r line && echo read; pwd", actions, SpawnAttributes(SpawnAttributes::Leads::kGroup));
  EXPECT_EQ(ended.printed, "/proc\n");
}

}  // namespace
}  // namespace waybill
