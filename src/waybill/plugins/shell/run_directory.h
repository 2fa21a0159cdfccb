#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/unique_fd.h"

// What server and supervisor tell each other: small files in the run's directory (job_files.h), which only
// the server's user can reach. Only the standard library and POSIX.
//
//   spec     what to run; written last of all before the first supervisor is started
//   lock     a POSIX write lock, held by the supervisor as long as it lives: the kernel says whether and
//   which
//            process that is, so that a pid used again can't be mistaken for it
//   child    the child's pid, start time and boot id; written before the child runs a program
//   cancel   don't start what hasn't started
//   end      how it ended; written once, durably
namespace waybill::plugins {

struct RunSpec {
  std::string job_id;
  int attempt = 1;
  std::string jobs_directory;  // absolute
  std::string directory;       // the child's, below jobs_directory
  std::uint64_t log_bytes = 0;
  std::uint64_t cancel_grace_ms = 10'000;  // between TERM and KILL
  bool switch_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::vector<std::string> words;        // at least one
  std::vector<std::string> environment;  // NAME=value
};

// Which process, beyond doubt: pids are used again, and after a reboot all of them.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot: field 22 of /proc/<pid>/stat
  std::string boot_id;
};

struct RunEnd {
  enum class Kind { kExited, kSignaled, kNotRun, kCanceled, kLost };
  Kind kind = Kind::kLost;
  int number = 0;       // exit code, signal, errno of kNotRun
  bool dumped = false;  // a core
  std::string what;     // of kNotRun: what failed; of kLost: why, if that is known
};

inline constexpr char kSpecFile[] = "spec";
inline constexpr char kLockFile[] = "lock";
inline constexpr char kChildFile[] = "child";
inline constexpr char kCancelFile[] = "cancel";
inline constexpr char kEndFile[] = "end";
inline constexpr char kErrorFile[] = "supervisor.err";    // what a supervisor said that couldn't even begin
inline constexpr char kOutputName[] = ".waybill-output";  // in the child's directory: $WAYBILL_OUTPUT

[[nodiscard]] std::string to_text(const RunSpec& spec);
[[nodiscard]] std::optional<RunSpec> parse_spec(const std::string& text);
[[nodiscard]] std::string to_text(const ProcessIdentity& identity);
[[nodiscard]] std::optional<ProcessIdentity> parse_identity(const std::string& text);
[[nodiscard]] std::string to_text(const RunEnd& end);
[[nodiscard]] std::optional<RunEnd> parse_end(const std::string& text);

// False: another process holds it (or errno says why it can't be had). `lock` must stay open, and no other
// descriptor of that file may be closed meanwhile.
[[nodiscard]] bool take_lock(int directory, UniqueFd& lock);
// The process that holds the lock; 0: none.
[[nodiscard]] pid_t lock_holder(int directory);
[[nodiscard]] bool exists(int directory, const char* name);

}  // namespace waybill::plugins
