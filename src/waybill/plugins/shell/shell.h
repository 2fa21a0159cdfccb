#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <set>
#include <string>

#include "waybill/base/pool.h"
#include "waybill/plugins/shell/run_watch.h"
#include "waybill/plugins/shell/shell_config.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// Runs a program on this host under a small supervisor of its own, which outlives this process: whoever knows
// the handle and the jobs directory can go on following the run. README.md says what the child gets. All
// calls on the io thread; files and processes are handled on the pool.
class Shell : public ports::Executor {
 public:
  // `pool` outlives every task of `io`.
  Shell(boost::asio::any_io_executor io, Pool& pool, ports::Nudge nudge, ShellOptions options);

  [[nodiscard]] const ports::ExecutorTraits& traits() const override { return traits_; }
  [[nodiscard]] absl::Status validate(const ports::JobRequest& request) const override;
  Task<absl::StatusOr<ports::StartResult>> start(std::shared_ptr<const ports::JobRequest> request) override;
  Task<absl::StatusOr<ports::Observation>> observe(std::shared_ptr<const ports::JobRequest> request,
                                                   domain::ExecutorHandle handle) override;
  Task<absl::Status> cancel(std::shared_ptr<const ports::JobRequest> request,
                            domain::ExecutorHandle handle) override;
  Task<absl::Status> cleanup(std::shared_ptr<const ports::JobRequest> request,
                             domain::ExecutorHandle handle) override;
  Task<absl::Status> check(std::shared_ptr<const domain::Cluster> cluster) override;
  void set_limits(const ports::RunLimits& limits) override;

 private:
  ports::ExecutorTraits traits_;
  Pool& pool_;
  std::shared_ptr<const ShellOptions>
      options_;  // replaced as a whole: work on the pool keeps what it began with
  RunWatch watch_;
  std::set<domain::ExecutorHandle> launched_;  // runs whose supervisor this object started
};

}  // namespace waybill::plugins
