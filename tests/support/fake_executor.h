#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/engine/wakeup.h"
#include "waybill/ports/executor.h"

namespace waybill::testing {

// FAKE. An executor whose runs live in this object, as a cluster's would outside the server: they outlive
// every engine that is built on it. A test says how they go. io thread only.
class FakeExecutor : public ports::Executor {
 public:
  static ports::Observation in_phase(ports::RunPhase phase) {
    ports::Observation seen;
    seen.phase = phase;
    return seen;
  }
  struct Run {
    std::string handle;
    std::string job;
    int attempt = 1;
    ports::Observation now = in_phase(ports::RunPhase::kRunning);
    int cancels = 0;
    int cleanups = 0;
    bool exists = true;
  };

  explicit FakeExecutor(boost::asio::any_io_executor io, std::string plugin = "fake") : io_(std::move(io)) {
    traits_.plugin = std::move(plugin);
    traits_.poll_min = absl::Seconds(1);
    traits_.poll_max = absl::Seconds(10);
  }

  // How things go.
  ports::ExecutorTraits& edit_traits() { return traits_; }
  bool ends_at_start = false;                                      // as ping does
  ports::Observation end = in_phase(ports::RunPhase::kSucceeded);  // then
  bool obeys_cancel = true;                                        // a canceled run is gone at once
  bool creates_new_runs = false;          // start is not idempotent (restartable_start false)
  std::deque<absl::Status> start_errors;  // of the next starts; OK: no error
  std::optional<absl::Status> observe_error;
  std::optional<absl::Status> cancel_error;
  absl::Status check_answer;
  std::function<absl::Status(const ports::JobRequest&)> check_request;
  bool hold_starts = false;  // starts wait for release_starts()
  void release_starts() {
    hold_starts = false;
    for (auto& held : held_) held->set(true);
    held_.clear();
  }

  // What happened.
  std::vector<std::string> started;  // "JOB/ATTEMPT", once for each run that was made
  int start_calls = 0;
  std::vector<std::shared_ptr<const ports::JobRequest>> requests;
  [[nodiscard]] Run* find(const JobId& job, int attempt = 1) {
    const auto found = runs.find(job.str() + "/" + std::to_string(attempt));
    return found == runs.end() ? nullptr : &found->second;
  }
  [[nodiscard]] int runs_of(const JobId& job) const {
    int count = 0;
    for (const auto& [key, run] : runs) count += run.job == job.str() ? 1 : 0;
    return count;
  }
  std::map<std::string, Run> runs;  // by handle

  const ports::ExecutorTraits& traits() const override { return traits_; }
  absl::Status validate(const ports::JobRequest& request) const override {
    return check_request ? check_request(request) : absl::OkStatus();
  }
  Task<absl::StatusOr<ports::StartResult>> start(std::shared_ptr<const ports::JobRequest> request) override {
    ++start_calls;
    requests.push_back(request);
    if (!start_errors.empty()) {
      const absl::Status error = start_errors.front();
      start_errors.pop_front();
      if (!error.ok()) co_return error;
    }
    if (hold_starts) {
      auto held = std::make_shared<engine::Once<bool>>(io_);
      held_.push_back(held);
      auto released = co_await engine::Once<bool>::get(held);
      static_cast<void>(released);
    }
    Run& run = run_for(*request);
    ports::StartResult result;
    result.handle = run.handle;
    if (ends_at_start) {
      run.now = end;
      result.outcome = end;
    }
    co_return result;
  }
  Task<absl::StatusOr<ports::Observation>> observe(std::shared_ptr<const ports::JobRequest>,
                                                   domain::ExecutorHandle handle) override {
    if (observe_error) co_return *observe_error;
    const auto found = runs.find(handle);
    ports::Observation none;
    none.phase = ports::RunPhase::kUnknown;
    if (found == runs.end() || !found->second.exists) co_return none;
    co_return found->second.now;
  }
  Task<absl::Status> cancel(std::shared_ptr<const ports::JobRequest>,
                            domain::ExecutorHandle handle) override {
    const auto found = runs.find(handle);
    if (found == runs.end()) co_return absl::OkStatus();
    ++found->second.cancels;
    if (cancel_error) co_return *cancel_error;
    const bool lives = found->second.now.phase == ports::RunPhase::kRunning ||
                       found->second.now.phase == ports::RunPhase::kPending;
    if (obeys_cancel && lives) {
      found->second.now.phase = ports::RunPhase::kFailed;
      found->second.now.error = "signal: terminated";
    }
    co_return absl::OkStatus();
  }
  Task<absl::Status> cleanup(std::shared_ptr<const ports::JobRequest>,
                             domain::ExecutorHandle handle) override {
    const auto found = runs.find(handle);
    if (found != runs.end()) ++found->second.cleanups;
    co_return absl::OkStatus();
  }
  Task<absl::Status> check(std::shared_ptr<const domain::Cluster>) override { co_return check_answer; }

 private:
  Run& run_for(const ports::JobRequest& request) {
    const std::string job = request.job.id.str();
    std::string handle = job + "/" + std::to_string(request.job.state.attempt);
    if (creates_new_runs) handle += "#" + std::to_string(runs.size());
    const auto [place, is_new] = runs.try_emplace(handle);
    if (is_new) {
      place->second.handle = handle;
      place->second.job = job;
      place->second.attempt = request.job.state.attempt;
      started.push_back(handle);
    }
    return place->second;
  }

  boost::asio::any_io_executor io_;
  ports::ExecutorTraits traits_;
  std::vector<std::shared_ptr<engine::Once<bool>>> held_;
};

}  // namespace waybill::testing
