#include "waybill/plugins/shell/child.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "waybill/base/spawn.h"
#include "waybill/plugins/shell/process.h"
#include "waybill/storage/files/job_files.h"

namespace waybill::plugins {
namespace {

// Big pipes spare the child waiting for us: the kernel's limit for users without privileges.
constexpr int kPipeBytes = 1048576;

enum class Step : char { kUser = 'u', kDirectory = 'd', kProgram = 'p', kOther = 'o' };

struct Failure {
  Step step = Step::kOther;
  int problem = 0;
};

// Everything the forked child needs, made before the fork.
struct Preparation {
  Preparation(const RunSpec& what, int where) : spec(what), directory(where) {}

  const RunSpec& spec;
  int directory;
  Pipe out;
  Pipe err;
  Pipe go;       // the child waits until its identity is on disk
  Pipe failure;  // closed by the exec; else a Failure
  std::vector<char*> words;
  std::vector<char*> environment;
  pid_t supervisor = ::getpid();
};

[[noreturn]] void give_up(const Preparation& ready, Step step) {
  const Failure failure{step, errno};
  static_cast<void>(!::write(ready.failure.write.get(), &failure, sizeof(failure)));
  ::_exit(127);
}

bool switch_user(const RunSpec& spec) {
  return ::setgroups(spec.groups.size(), spec.groups.data()) == 0 && ::setgid(spec.gid) == 0 &&
         ::setuid(spec.uid) == 0;
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// In the forked child; ends in the program or in _exit.
[[noreturn]] void become_program(const Preparation& ready) {
  char go = 0;
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.ok() || ::setsid() < 0) give_up(ready, Step::kOther);
  ::close(ready.go.write.get());
  if (::read(ready.go.read.get(), &go, 1) != 1) ::_exit(127);  // the supervisor died
  if (::dup2(null.get(), STDIN_FILENO) < 0 || ::dup2(ready.out.write.get(), STDOUT_FILENO) < 0 ||
      ::dup2(ready.err.write.get(), STDERR_FILENO) < 0)
    give_up(ready, Step::kOther);
  if (::fchdir(ready.directory) != 0) give_up(ready, Step::kDirectory);
  if (ready.spec.switch_user && !switch_user(ready.spec)) give_up(ready, Step::kUser);
  ::umask(0077);
  // After the change of user, which would clear it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != ready.supervisor) ::_exit(127);
  struct rlimit core = {};
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
  }
  reset_signals();
  ::environ = const_cast<char**>(ready.environment.data());
  ::execvp(ready.words[0], ready.words.data());  // PATH is the new environment's
  give_up(ready, Step::kProgram);
}

std::string sentence(const RunSpec& spec, Step step) {
  switch (step) {
    case Step::kUser:
      return "cannot become the user that shell.run_as names";
    case Step::kDirectory:
      return "cannot enter the job's directory";
    case Step::kProgram:
      return "cannot run \"" + spec.words[0].substr(0, 200) + '"';
    case Step::kOther:
      break;
  }
  return "cannot start a process";
}

Child failed(const RunSpec& spec, Step step, int problem) {
  Child child;
  child.problem = problem == 0 ? EINVAL : problem;
  child.what = sentence(spec, step);
  return child;
}

}  // namespace

Child start_child(const RunSpec& spec, int run_directory, int directory) {
  Preparation ready(spec, directory);
  if (!make_pipe(ready.out) || !make_pipe(ready.err) || !make_pipe(ready.go) || !make_pipe(ready.failure))
    return failed(spec, Step::kOther, errno);
  ready.words = exec_texts(spec.words);
  ready.environment = exec_texts(spec.environment);
  const pid_t pid = ::fork();
  if (pid < 0) return failed(spec, Step::kOther, errno);
  if (pid == 0) become_program(ready);

  const bool recorded = storage::write_atomically(run_directory, kChildFile, to_text(identify(pid)), false);
  const int problem = errno;
  if (recorded) static_cast<void>(!::write(ready.go.write.get(), "g", 1));
  ready.go.write.reset();
  ready.failure.write.reset();
  Failure failure{Step::kOther, recorded ? 0 : problem};
  const ssize_t heard = ::read(ready.failure.read.get(), &failure, sizeof(failure));
  if (!recorded || heard == sizeof(failure)) {
    ::waitpid(pid, nullptr, 0);
    return failed(spec, failure.step, failure.problem);
  }
  Child child;
  child.pid = pid;
  child.out = std::move(ready.out.read);
  child.err = std::move(ready.err.read);
  for (const UniqueFd* end : {&child.out, &child.err}) {
    ::fcntl(end->get(), F_SETPIPE_SZ, kPipeBytes);
    ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }
  return child;
}

}  // namespace waybill::plugins
