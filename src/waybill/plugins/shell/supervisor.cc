#include "waybill/plugins/shell/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "waybill/plugins/shell/child.h"
#include "waybill/plugins/shell/output_file.h"
#include "waybill/plugins/shell/process.h"
#include "waybill/plugins/shell/run_directory.h"
#include "waybill/storage/files/job_files.h"
#include "waybill/storage/files/log_file.h"

namespace waybill::plugins {
namespace {

using storage::LogWriter;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kBuffer = 262144;
constexpr milliseconds kLeftoverGrace = std::chrono::seconds(2);  // for what the child left behind
constexpr milliseconds kKillPatience = std::chrono::seconds(5);   // a process in the kernel can't be killed
constexpr milliseconds kLook = milliseconds(50);  // between looks at processes that are to end

// One stream of the child on its way to its log.
class Stream {
 public:
  Stream(UniqueFd pipe, LogWriter log) : pipe_(std::move(pipe)), log_(std::move(log)) {}

  [[nodiscard]] int fd() const { return pipe_.get(); }  // -1 once it has ended
  [[nodiscard]] LogWriter& log() { return log_; }
  // Moves what is there, at most a few buffers, so that the other stream and the signals get their turn.
  void pump(std::vector<char>& buffer) {
    for (int turn = 0; turn < 8 && pipe_.ok(); ++turn) {
      const ssize_t n = ::read(pipe_.get(), buffer.data(), buffer.size());
      if (n > 0) {
        log_.append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        pipe_.reset();
      }
      if (n < static_cast<ssize_t>(buffer.size())) return;
    }
  }

 private:
  UniqueFd pipe_;
  LogWriter log_;
};

// Follows one child from its start to the end of all it left behind.
class Watch {
 public:
  Watch(Child child, UniqueFd signals, LogWriter out, LogWriter err, milliseconds cancel_grace)
      : pid_(child.pid),
        cancel_grace_(cancel_grace),
        signals_(std::move(signals)),
        out_(std::move(child.out), std::move(out)),
        err_(std::move(child.err), std::move(err)),
        buffer_(kBuffer) {}

  // How the child ended; its streams are drained and nothing of it is left, or can't be killed.
  RunEnd follow() {
    while (!is_over()) {
      wait();
      out_.pump(buffer_);
      err_.pump(buffer_);
      hear_signals();
      press();
    }
    return end_;
  }
  LogWriter& err_log() { return err_.log(); }

 private:
  enum class Phase { kRunning, kEnding, kKilling };

  // After the child's end it is over when nothing of it is left, or nothing that can be killed.
  bool is_over() {
    if (!child_ended_) return phase_ == Phase::kKilling && Steady::now() > deadline_;
    const bool drained = out_.fd() < 0 && err_.fd() < 0;
    if (phase_ == Phase::kKilling && Steady::now() > deadline_) return true;
    reap_orphans();
    const std::vector<pid_t> left = descendants();
    if (std::any_of(left.begin(), left.end(), [&](pid_t pid) { return pid != pid_; })) {
      if (phase_ == Phase::kRunning) begin_ending(kLeftoverGrace);
      return false;
    }
    if (drained) return true;
    // Nobody is left to write: what is in the pipes is all there will be.
    out_.pump(buffer_);
    err_.pump(buffer_);
    return !has_input(out_.fd()) && !has_input(err_.fd());
  }

  static bool has_input(int fd) {
    struct pollfd one = {fd, POLLIN, 0};
    return fd >= 0 && ::poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0;
  }

  void wait() {
    std::array<struct pollfd, 3> what = {
        {{signals_.get(), POLLIN, 0}, {out_.fd(), POLLIN, 0}, {err_.fd(), POLLIN, 0}}};
    const bool looks = child_ended_ || phase_ != Phase::kRunning;
    ::poll(what.data(), what.size(), looks ? static_cast<int>(kLook.count()) : -1);
  }

  void hear_signals() {
    struct signalfd_siginfo info = {};
    while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
      if (info.ssi_signo == SIGTERM && phase_ == Phase::kRunning) begin_ending(cancel_grace_);
      if (info.ssi_signo == SIGCHLD) look_at_children();
    }
  }

  // The child stays a zombie to the end, so that its number stays the group's and nobody else's.
  void look_at_children() {
    reap_orphans();
    if (child_ended_) return;
    siginfo_t info = {};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
      return;
    child_ended_ = true;
    end_.kind = info.si_code == CLD_EXITED ? RunEnd::Kind::kExited : RunEnd::Kind::kSignaled;
    end_.number = info.si_status;
    end_.dumped = info.si_code == CLD_DUMPED;
  }

  // Processes whose own parents are gone are ours (subreaper).
  void reap_orphans() {
    for (const pid_t pid : descendants()) {
      if (pid != pid_) ::waitpid(pid, nullptr, WNOHANG);
    }
  }

  void begin_ending(milliseconds grace) {
    phase_ = Phase::kEnding;
    deadline_ = Steady::now() + grace;
    signal_all(SIGTERM);
    signal_all(SIGCONT);  // a stopped process hears nothing else
  }

  void press() {
    if (phase_ == Phase::kRunning || Steady::now() < next_press_) return;
    if (phase_ == Phase::kEnding && Steady::now() >= deadline_) {
      phase_ = Phase::kKilling;
      deadline_ = Steady::now() + kKillPatience;
    }
    if (phase_ != Phase::kKilling) return;
    next_press_ = Steady::now() + kLook;
    signal_all(SIGKILL);
  }

  void signal_all(int signal) {
    ::kill(-pid_, signal);
    for (const pid_t pid : descendants()) ::kill(pid, signal);
  }

  pid_t pid_;
  milliseconds cancel_grace_;
  UniqueFd signals_;
  Stream out_;
  Stream err_;
  std::vector<char> buffer_;
  Phase phase_ = Phase::kRunning;
  Steady::time_point deadline_;
  Steady::time_point next_press_;
  bool child_ended_ = false;
  RunEnd end_;
};

UniqueFd block_signals() {
  sigset_t mask;
  ::sigemptyset(&mask);
  for (const int signal : {SIGTERM, SIGCHLD}) ::sigaddset(&mask, signal);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ})
    ::signal(signal, SIG_IGN);
  return UniqueFd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

void say(const char* what) {
  std::fprintf(stderr, "waybill shell-supervise: %s: %s\n", what,
               std::generic_category().message(errno).c_str());
}

// A file that will hold the end, made now: a full disk later must not lose how the job ended.
bool reserve_end(int run_directory) {
  UniqueFd file(::openat(run_directory, "end.reserved", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.ok() && ::posix_fallocate(file.get(), 0, 4096) == 0;
}

bool write_end(int run_directory, const RunEnd& end) {
  const std::string text = to_text(end);
  UniqueFd file(::openat(run_directory, "end.reserved", O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  return file.ok() && storage::write_at(file.get(), text.data(), text.size(), 0) &&
         ::ftruncate(file.get(), static_cast<off_t>(text.size())) == 0 && ::fsync(file.get()) == 0 &&
         ::renameat(run_directory, "end.reserved", run_directory, kEndFile) == 0 &&
         ::fsync(run_directory) == 0;
}

// What was wrong with $WAYBILL_OUTPUT goes where the job's owner looks.
void note_bad_outputs(int directory, LogWriter& log) {
  std::string text;
  if (!storage::read_small(directory, kOutputName, kOutputFileBytes, text)) return;
  for (const std::string& note : parse_outputs(text, true).notes) {
    const std::string line = "[waybill: $WAYBILL_OUTPUT " + note + "]\n";
    log.append(line.data(), line.size());
  }
}

RunEnd run(const RunSpec& spec, int run_directory, UniqueFd signals) {
  RunEnd end;
  end.kind = RunEnd::Kind::kNotRun;
  const UniqueFd directory = storage::open_folder(spec.jobs_directory, spec.directory, false);
  if (!directory.ok()) {
    end.number = errno;
    end.what = "cannot open the job's directory";
    return end;
  }
  LogWriter out(directory.get(), "stdout", spec.log_bytes);
  LogWriter err(directory.get(), "stderr", spec.log_bytes);
  Child child = start_child(spec, run_directory, directory.get());
  if (child.problem != 0) {
    end.number = child.problem;
    end.what = child.what;
    return end;
  }
  Watch watch(std::move(child), std::move(signals), std::move(out), std::move(err),
              milliseconds(spec.cancel_grace_ms));
  end = watch.follow();
  note_bad_outputs(directory.get(), watch.err_log());
  return end;
}

}  // namespace

int supervise(int argc, char** argv) {
  if (argc != 2 || argv[1][0] != '/') {
    std::fprintf(stderr, "usage: waybill shell-supervise RUN_DIRECTORY\n");
    return 2;
  }
  UniqueFd signals = block_signals();
  ::umask(0077);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "waybill-job");
  const UniqueFd directory(::open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!signals.ok() || !directory.ok()) {
    say(argv[1]);
    return 1;
  }
  UniqueFd lock;
  if (!take_lock(directory.get(), lock)) return 0;
  if (exists(directory.get(), kEndFile) || exists(directory.get(), kChildFile)) return 0;
  std::string text;
  constexpr std::size_t kSpecBytes = 64U << 20U;
  if (!storage::read_small(directory.get(), kSpecFile, kSpecBytes, text)) {
    say(kSpecFile);
    return 1;
  }
  const std::optional<RunSpec> spec = parse_spec(text);
  if (!spec || !reserve_end(directory.get())) {
    say(spec ? "end" : kSpecFile);
    return 1;
  }
  RunEnd end;
  end.kind = RunEnd::Kind::kCanceled;
  if (!exists(directory.get(), kCancelFile)) end = run(*spec, directory.get(), std::move(signals));
  if (write_end(directory.get(), end)) return 0;
  say(kEndFile);
  return 1;
}

}  // namespace waybill::plugins
