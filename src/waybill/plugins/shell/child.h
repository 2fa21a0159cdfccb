#pragma once

#include <sys/types.h>

#include <string>

#include "waybill/base/unique_fd.h"
#include "waybill/plugins/shell/run_directory.h"

// The child of a supervisor: the job's own program. Only the standard library and POSIX.
namespace waybill::plugins {

struct Child {
  pid_t pid = 0;  // its session and its group have the same number
  UniqueFd out;   // what it prints, non-blocking
  UniqueFd err;
  int problem = 0;   // errno; 0: the program runs
  std::string what;  // what failed, for the user: `cannot run "/bin/nope"`
};

// Starts spec.words in `directory`: its own session and group, stdin from /dev/null, only spec.environment,
// as another user if the spec says so, gone with the supervisor if that dies. `child` is written to the run's
// directory before the program begins. On a problem there is no child left.
[[nodiscard]] Child start_child(const RunSpec& spec, int run_directory, int directory);

}  // namespace waybill::plugins
