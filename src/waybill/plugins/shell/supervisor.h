#pragma once

namespace waybill::plugins {

// `waybill shell-supervise RUN_DIRECTORY`: runs one job's program and outlives the server that started it.
// Takes the run's lock (another that has it, or a run that had begun: ends at once), starts the child, pipes
// what it prints into the job's log files and writes down how it ended. SIGTERM is the request to cancel:
// TERM to the child and everything below it, KILL after ten seconds. Returns the exit code of the process.
//
// Only the standard library and POSIX, one thread: it must start within a millisecond or so.
int supervise(int argc, char** argv);

// Where launch() leaves the descriptor that it started waybill-supervise by.
inline constexpr int kSupervisorProgram = 3;

}  // namespace waybill::plugins
