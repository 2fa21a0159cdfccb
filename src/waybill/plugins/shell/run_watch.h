#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "waybill/base/ids.h"
#include "waybill/base/unique_fd.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// Nudges when a supervisor ends (pidfd) and when a job writes its outputs (inotify), so that neither waits
// for a poll. All calls on the io thread; the destructor ends all waits.
class RunWatch {
 public:
  RunWatch(boost::asio::any_io_executor io, ports::Nudge nudge);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // Nudges once when the process behind `process` (a pidfd) is gone; reaps it if it is our child.
  void watch_process(const JobId& id, const std::string& run, UniqueFd process);
  [[nodiscard]] bool watches(const std::string& run) const;
  // Nudges at the next change of the file; then it has to be asked for again.
  void watch_output(const JobId& id, const std::string& run, const std::string& path);
  // No more nudges for outputs of a run that has ended; its file may stay for weeks.
  void forget_output(const std::string& run);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::plugins
