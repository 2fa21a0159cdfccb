#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "waybill/plugins/shell/run_directory.h"

// Processes as /proc tells of them. Only the standard library and POSIX.
namespace waybill::plugins {

// Start time 0: there is no such process.
[[nodiscard]] ProcessIdentity identify(pid_t pid);
[[nodiscard]] bool is_alive(const ProcessIdentity& identity);

// All processes below this one (its children, theirs, …), zombies included.
[[nodiscard]] std::vector<pid_t> descendants();

// KILLs what is left of a run whose supervisor is gone: the child's group, and every process that carries the
// run's WAYBILL_JOB_ID and WAYBILL_ATTEMPT. How many it killed; 0: nothing is left.
int kill_leftovers(const ProcessIdentity& child, const std::string& job_id, int attempt);

}  // namespace waybill::plugins
