#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "waybill/ports/clock.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// Answers `Hello, <user>!`, at once or, with `sleep_ms`, as a run that ends later. The handle carries the end
// of the run, so that any instance can follow it; nothing runs anywhere. All calls on the io thread.
class Ping : public ports::Executor {
 public:
  // `clock` outlives every task of `io`.
  Ping(boost::asio::any_io_executor io, ports::Clock& clock, ports::Nudge nudge);

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

 private:
  void nudge_at(const JobId& id, const domain::ExecutorHandle& handle, absl::Time end);

  ports::ExecutorTraits traits_;
  boost::asio::any_io_executor io_;
  ports::Clock& clock_;
  ports::Nudge nudge_;
  std::map<std::string, domain::ExecutorHandle> started_;  // run name -> handle: start twice is one run
  std::set<domain::ExecutorHandle> waited_for_;            // a nudge is on its way
  std::set<domain::ExecutorHandle> canceled_;
};

}  // namespace waybill::plugins
