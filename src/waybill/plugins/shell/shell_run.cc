#include "waybill/plugins/shell/shell_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

// Debian 12's glibc forgot to say that these are C.
extern "C" {
#include <sys/pidfd.h>
}

#include "waybill/base/status.h"
#include "waybill/plugins/shell/context_file.h"
#include "waybill/plugins/shell/launch.h"
#include "waybill/plugins/shell/output_file.h"
#include "waybill/plugins/shell/process.h"
#include "waybill/plugins/shell/result_file.h"
#include "waybill/plugins/shell/run_directory.h"
#include "waybill/plugins/shell/signal_name.h"
#include "waybill/storage/files/job_files.h"

namespace waybill::plugins {
namespace {

using ports::RunPhase;

constexpr std::string_view kPrefix = "shell ";
constexpr int kStartSeconds = 30;  // that a supervisor may take to begin, on a machine under load

absl::Status failure(std::string_view what) {
  return unavailable(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

absl::StatusOr<User> find_user(const std::string& name) {
  std::vector<char> buffer(65536);
  struct passwd entry = {};
  struct passwd* found = nullptr;
  const int problem = ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr)
    return unavailable(fmt::format("shell.run_as: there is no user \"{}\"{}", name,
                                   problem == 0 ? "" : ": " + std::generic_category().message(problem)));
  User user{.uid = entry.pw_uid, .gid = entry.pw_gid, .groups = std::vector<gid_t>(1024)};
  auto count = static_cast<int>(user.groups.size());
  if (::getgrouplist(name.c_str(), user.gid, user.groups.data(), &count) < 0) count = 0;
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

std::string directory_path(const ShellOptions& options, const ShellRun& run) {
  return options.jobs_directory.string() + '/' + storage::job_folder(run.job_id, run.attempt);
}

std::vector<std::string> child_environment(const ShellOptions& options, const ShellRun& run,
                                           const ports::JobRequest& request, const ShellPlan& plan) {
  // Own variables first: of doubled names the plan's later one would be seen by some programs only, so that
  // PATH, LANG and HOME are left out where it has them.
  std::vector<std::string> variables;
  const auto has = [&](std::string_view name) {
    return std::any_of(plan.environment.begin(), plan.environment.end(),
                       [&](const auto& variable) { return variable.first == name; });
  };
  const std::string directory = directory_path(options, run);
  if (!has("PATH"))
    variables.emplace_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  if (!has("LANG")) variables.emplace_back("LANG=C.UTF-8");
  if (!has("HOME")) variables.push_back("HOME=" + directory);
  variables.push_back("WAYBILL_JOB_ID=" + run.job_id);
  variables.push_back("WAYBILL_ATTEMPT=" + std::to_string(run.attempt));
  variables.push_back("WAYBILL_JOB_NAME=" + request.job.spec.name);
  variables.push_back("WAYBILL_USER=" + request.job.spec.user);
  variables.push_back("WAYBILL_CONTEXT=" + directory + "/context.json");
  variables.push_back("WAYBILL_OUTPUT=" + directory + '/' + kOutputName);
  for (const auto& [name, value] : plan.environment) variables.push_back(name + '=' + value);
  return variables;
}

// By descriptor: a name may be another file by the time we use it.
bool give_away(const RunSpec& spec, int directory) {
  const UniqueFd base = storage::open_folder(spec.jobs_directory, storage::job_folder(spec.job_id, 1), false);
  const UniqueFd context = storage::open_regular(directory, "context.json");
  const UniqueFd output = storage::open_regular(directory, kOutputName);
  for (const int fd : {context.get(), output.get(), directory, base.get()}) {
    if (::fchown(fd, spec.uid, spec.gid) != 0) return false;
  }
  return true;
}

// Files of the run, the spec last: once it is there, the rest is.
absl::Status prepare(const ShellOptions& options, const ShellRun& run, int run_directory,
                     const ports::JobRequest& request, const ShellPlan& plan) {
  RunSpec spec;
  spec.job_id = run.job_id;
  spec.attempt = run.attempt;
  spec.jobs_directory = options.jobs_directory.string();
  spec.directory = storage::job_folder(run.job_id, run.attempt);
  spec.log_bytes = options.limits.log_bytes;
  spec.cancel_grace_ms = static_cast<std::uint64_t>(absl::ToInt64Milliseconds(options.cancel_grace));
  spec.words = plan.words;
  spec.environment = child_environment(options, run, request, plan);
  if (!options.run_as.empty()) {
    WB_ASSIGN(User user, find_user(options.run_as));
    spec.switch_user = user.uid != ::geteuid();
    spec.uid = user.uid;
    spec.gid = user.gid;
    spec.groups = std::move(user.groups);
  }
  const UniqueFd directory = storage::open_folder(spec.jobs_directory, spec.directory, true);
  if (!directory.ok()) return failure("cannot make the job's directory");
  if (!storage::write_atomically(directory.get(), "context.json",
                                 context_json(request, directory_path(options, run)), false))
    return failure("cannot write context.json");
  if (!storage::write_atomically(directory.get(), kOutputName, "", false))
    return failure("cannot write the job's output file");
  if (spec.switch_user && !give_away(spec, directory.get()))
    return failure("cannot give the job's files to the user that shell.run_as names");
  if (!storage::write_atomically(run_directory, kSpecFile, to_text(spec), false))
    return failure("cannot write the run's files");
  return absl::OkStatus();
}

// One start at a time: a second one must not find half of the files, nor empty those of a run that has begun.
absl::Status prepare_once(const ShellOptions& options, const ShellRun& run, int run_directory,
                          const ports::JobRequest& request, const ShellPlan& plan) {
  if (::flock(run_directory, LOCK_EX) != 0) return failure("cannot lock the run's directory");
  const absl::Status status = exists(run_directory, kSpecFile)
                                  ? absl::OkStatus()
                                  : prepare(options, run, run_directory, request, plan);
  ::flock(run_directory, LOCK_UN);
  return status;
}

UniqueFd open_run(const ShellOptions& options, const ShellRun& run, bool create) {
  return storage::open_folder(options.jobs_directory.string(), storage::run_folder(run.job_id, run.attempt),
                              create);
}

// The supervisor's pidfd; not ok() if there is none. Holding the lock and being that pid is asked again after
// the pidfd was made: between the two questions the pid may have gone to another process.
UniqueFd open_supervisor(int run_directory) {
  for (;;) {
    const pid_t pid = lock_holder(run_directory);
    if (pid <= 0) return UniqueFd();
    UniqueFd process(::pidfd_open(pid, 0));
    if (lock_holder(run_directory) == pid) return process;
  }
}

std::optional<RunEnd> read_end(int run_directory) {
  std::string text;
  constexpr std::size_t kEndBytes = 65536;
  if (!storage::read_small(run_directory, kEndFile, kEndBytes, text)) return std::nullopt;
  return parse_end(text).value_or(RunEnd{});
}

domain::Outputs read_outputs(int directory, bool ended) {
  std::string text;
  if (!storage::read_small(directory, kOutputName, kOutputFileBytes, text)) return {};
  return parse_outputs(text, ended).values;
}

// A run that has not begun: its supervisor may be on its way, or never come.
bool may_still_begin(int run_directory) {
  struct stat spec = {};
  if (exists(run_directory, kCancelFile)) return false;
  return ::fstatat(run_directory, kSpecFile, &spec, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::time(nullptr) < spec.st_mtime + kStartSeconds;
}

bool note_cancel(int run_directory) {
  const UniqueFd file(
      ::openat(run_directory, kCancelFile, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.ok();
}

// The supervisor is gone and wrote no end: the machine went down, it was killed, or it could not begin.
RunEnd end_lost(int run_directory, const ShellRun& run) {
  RunEnd end;
  end.kind = exists(run_directory, kCancelFile) && !exists(run_directory, kChildFile)
                 ? RunEnd::Kind::kCanceled
                 : RunEnd::Kind::kLost;
  static_cast<void>(note_cancel(run_directory));  // a late supervisor must not begin now
  std::string text;
  constexpr std::size_t kTextBytes = 1000;
  if (storage::read_small(run_directory, kChildFile, kTextBytes, text)) {
    const std::optional<ProcessIdentity> child = parse_identity(text);
    // A killed process may have forked meanwhile: until nothing is found, but not for ever.
    for (int round = 0; child && round < 10; ++round) {
      if (kill_leftovers(*child, run.job_id, run.attempt) == 0) break;
    }
    const bool rebooted = child && child->boot_id != identify(::getpid()).boot_id;
    end.what = rebooted ? "the machine was restarted while the job ran" : "the job's supervisor was killed";
  } else if (storage::read_small(run_directory, kErrorFile, kTextBytes, text) && !text.empty()) {
    end.what = "the job's supervisor could not begin: " + text.substr(0, text.find('\n'));
  } else {
    end.what = "the job's supervisor did not begin";
  }
  static_cast<void>(storage::write_atomically(run_directory, kEndFile, to_text(end), true));
  return end;
}

void tell_end(const ShellOptions& options, int directory, const RunEnd& end, ports::Observation& seen) {
  seen.phase = RunPhase::kFailed;
  switch (end.kind) {
    case RunEnd::Kind::kExited:
      seen.outputs["exit_code"] = std::to_string(end.number);
      if (end.number != 0) {
        seen.error = exit_text(end.number);
        return;
      }
      break;
    case RunEnd::Kind::kSignaled:
      seen.error = signal_text(end.number, end.dumped);
      return;
    case RunEnd::Kind::kNotRun:
      seen.error = fmt::format("{}: {}", end.what, std::generic_category().message(end.number));
      return;
    case RunEnd::Kind::kCanceled:
      seen.error = "canceled before it began";
      return;
    case RunEnd::Kind::kLost:
      seen.phase = RunPhase::kEnded;
      seen.reason = domain::EndReason::kLost;
      seen.error = end.what.empty() ? "how the job ended could not be read" : end.what;
      return;
  }
  absl::StatusOr<std::shared_ptr<const domain::ResultTable>> result =
      read_result(directory, options.limits.result_rows, options.limits.result_bytes);
  if (!result.ok()) {
    seen.error = message(result.status());
    return;
  }
  seen.phase = RunPhase::kSucceeded;
  seen.result = *std::move(result);
}

}  // namespace

std::string to_handle(const ShellRun& run) {
  return fmt::format("{}{}/{}", kPrefix, run.job_id, run.attempt);
}

std::optional<ShellRun> parse_handle(const std::string& handle) {
  const std::size_t slash = handle.rfind('/');
  if (!handle.starts_with(kPrefix) || slash == std::string::npos) return std::nullopt;
  ShellRun run;
  run.job_id = handle.substr(kPrefix.size(), slash - kPrefix.size());
  const char* last = handle.data() + handle.size();
  const auto [end, problem] = std::from_chars(handle.data() + slash + 1, last, run.attempt);
  if (problem != std::errc() || end != last || storage::run_folder(run.job_id, run.attempt).empty())
    return std::nullopt;
  return run;
}

std::string output_path(const ShellOptions& options, const ShellRun& run) {
  return directory_path(options, run) + '/' + kOutputName;
}

absl::StatusOr<UniqueFd> start_run(const ShellOptions& options, const ports::JobRequest& request,
                                   const ShellPlan& plan) {
  const ShellRun run{.job_id = request.job.id.str(), .attempt = request.job.state.attempt};
  if (storage::run_folder(run.job_id, run.attempt).empty())
    return invalid(fmt::format("\"{}\" is not a job id that can name a directory", run.job_id));
  std::error_code made;
  std::filesystem::create_directories(options.jobs_directory, made);
  const UniqueFd directory = open_run(options, run, true);
  if (!directory.ok()) return failure("cannot make the run's directory");
  WB_TRY(prepare_once(options, run, directory.get(), request, plan));
  for (const char* name : {kEndFile, kChildFile, kCancelFile}) {
    if (exists(directory.get(), name)) return UniqueFd();
  }
  if (lock_holder(directory.get()) != 0) return UniqueFd();
  std::vector<std::string> words = options.supervisor;
  const std::string path =
      options.jobs_directory.string() + '/' + storage::run_folder(run.job_id, run.attempt);
  words.push_back(path);
  WB_ASSIGN(const pid_t pid, launch(words, path + '/' + kErrorFile, options.supervisor_program.get()));
  return UniqueFd(::pidfd_open(pid, 0));
}

absl::StatusOr<ShellSight> look_at_run(const ShellOptions& options, const ShellRun& run, bool given_up) {
  ShellSight sight;
  const UniqueFd directory = open_run(options, run, false);
  if (!directory.ok() && errno != ENOENT) return failure("cannot open the run's directory");
  if (!directory.ok() || !exists(directory.get(), kSpecFile)) {
    sight.seen.phase = RunPhase::kUnknown;
    return sight;
  }
  // The supervisor writes the end before it lets go of the lock: without the lock, the end is there or never
  // comes.
  sight.supervisor = open_supervisor(directory.get());
  const bool begun = exists(directory.get(), kChildFile);
  std::optional<RunEnd> end = read_end(directory.get());
  if (!end && !sight.supervisor.ok() && lock_holder(directory.get()) == 0 &&
      (begun || given_up || !may_still_begin(directory.get()))) {
    end = read_end(directory.get());
    if (!end) end = end_lost(directory.get(), run);
  }
  const UniqueFd files = storage::open_folder(options.jobs_directory.string(),
                                              storage::job_folder(run.job_id, run.attempt), false);
  sight.seen.outputs = read_outputs(files.get(), end.has_value());
  // A supervisor that is about to leave still runs: it is gone when its run is over.
  if (end && !sight.supervisor.ok()) {
    tell_end(options, files.get(), *end, sight.seen);
  } else {
    sight.seen.phase = begun ? RunPhase::kRunning : RunPhase::kPending;
  }
  return sight;
}

absl::Status cancel_run(const ShellOptions& options, const ShellRun& run) {
  const UniqueFd directory = open_run(options, run, false);
  if (!directory.ok()) return absl::OkStatus();
  // The note first: a supervisor that takes the lock after our look will read it.
  if (!note_cancel(directory.get())) return failure("cannot note that the run is canceled");
  const UniqueFd supervisor = open_supervisor(directory.get());
  if (supervisor.ok() && ::pidfd_send_signal(supervisor.get(), SIGTERM, nullptr, 0) != 0 && errno != ESRCH)
    return failure("cannot signal the job's supervisor");
  return absl::OkStatus();
}

absl::Status remove_run(const ShellOptions& options, const ShellRun& run) {
  const std::filesystem::path folder = options.jobs_directory / storage::run_folder(run.job_id, run.attempt);
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  if (problem) return unavailable(fmt::format("cannot remove the run's directory: {}", problem.message()));
  std::filesystem::remove(folder.parent_path(), problem);  // unless another attempt is in it
  return absl::OkStatus();
}

}  // namespace waybill::plugins
