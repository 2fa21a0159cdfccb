#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_io.h"
#include "waybill/base/pool.h"
#include "waybill/plugins/shell/shell.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// A folder under /tmp that goes away with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/waybill-test-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline std::string job_id(int number) {
  std::string digits = std::to_string(number);
  return "0191d2a0-0000-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

// A job that runs `/bin/sh -c script`.
inline std::shared_ptr<ports::JobRequest> shell_job(std::string script, int number = 1) {
  auto request = std::make_shared<ports::JobRequest>();
  request->job.id = JobId(job_id(number));
  request->job.spec.name = "a job";
  request->job.spec.user = "alice";
  request->job.spec.context = boost::json::object{{"arguments", boost::json::array{script}}};
  auto command = std::make_shared<domain::Command>();
  command->context = boost::json::object{{"command", boost::json::array{"/bin/sh", "-c"}}};
  request->command = std::move(command);
  auto cluster = std::make_shared<domain::Cluster>();
  cluster->id = ClusterId("here");
  request->cluster = std::move(cluster);
  return request;
}

// A jobs directory, an io thread (the test's own) and an executor that can be made anew, as a restart does.
class ShellBench {
 public:
  explicit ShellBench(ShellOptions options = {}) : options_(std::move(options)) {
    options_.supervisor = {WAYBILL_TEST_SUPERVISOR};
    options_.jobs_directory = folder_.path() / "jobs";
    restart();
  }
  ~ShellBench() { pool_.join(); }

  void restart() {
    shell_.reset();
    shell_ = std::make_unique<Shell>(
        io_.executor(), pool_, [this](const JobId& id) { nudged_.insert(id.str()); }, options_);
  }
  ports::StartResult start(const std::shared_ptr<ports::JobRequest>& job) {
    absl::StatusOr<ports::StartResult> started = io_.run(shell_->start(job));
    EXPECT_TRUE(started.ok()) << started.status();
    return started.ok() ? *std::move(started) : ports::StartResult{};
  }
  ports::Observation observe(const std::shared_ptr<ports::JobRequest>& job, const std::string& handle) {
    absl::StatusOr<ports::Observation> seen = io_.run(shell_->observe(job, handle));
    EXPECT_TRUE(seen.ok()) << seen.status();
    return seen.ok() ? *std::move(seen) : ports::Observation{};
  }
  // Looks until `done`; throws after a minute.
  ports::Observation observe_until(const std::shared_ptr<ports::JobRequest>& job, const std::string& handle,
                                   const std::function<bool(const ports::Observation&)>& done) {
    ports::Observation seen = observe(job, handle);
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (!done(seen)) {
      if (absl::Now() > deadline) throw std::runtime_error("looked for a minute in vain");
      io_.context().restart();
      io_.context().run_for(std::chrono::milliseconds(10));
      seen = observe(job, handle);
    }
    return seen;
  }
  ports::Observation observe_to_end(const std::shared_ptr<ports::JobRequest>& job,
                                    const std::string& handle) {
    return observe_until(job, handle, [](const ports::Observation& seen) {
      return seen.phase != ports::RunPhase::kPending && seen.phase != ports::RunPhase::kRunning;
    });
  }
  ports::Observation run(const std::shared_ptr<ports::JobRequest>& job) {
    const ports::StartResult started = start(job);
    if (started.outcome) return *started.outcome;
    return observe_to_end(job, started.handle);
  }
  void cancel(const std::shared_ptr<ports::JobRequest>& job, const std::string& handle) {
    const absl::Status asked = io_.run(shell_->cancel(job, handle));
    EXPECT_TRUE(asked.ok()) << asked;
  }
  // The job's own directory.
  [[nodiscard]] std::filesystem::path directory(const std::shared_ptr<ports::JobRequest>& job) const {
    const std::filesystem::path base = options_.jobs_directory / job->job.id.str();
    return job->job.state.attempt == 1 ? base : base / std::to_string(job->job.state.attempt);
  }
  [[nodiscard]] std::filesystem::path run_directory(const std::shared_ptr<ports::JobRequest>& job) const {
    return options_.jobs_directory / ".runs" / job->job.id.str() / std::to_string(job->job.state.attempt);
  }
  [[nodiscard]] std::string out(const std::shared_ptr<ports::JobRequest>& job) const {
    return slurp(directory(job) / "stdout");
  }
  [[nodiscard]] std::string err(const std::shared_ptr<ports::JobRequest>& job) const {
    return slurp(directory(job) / "stderr");
  }
  // Waits for what a job writes to a file in its directory.
  std::string wait_for_file(const std::shared_ptr<ports::JobRequest>& job, const std::string& name) {
    const std::filesystem::path path = directory(job) / name;
    io_.wait_until([&] { return slurp(path).ends_with('\n'); });
    std::string text = slurp(path);
    text.pop_back();
    return text;
  }

  testing::TestIo& io() { return io_; }
  Shell& shell() { return *shell_; }
  [[nodiscard]] const ShellOptions& options() const { return options_; }
  std::set<std::string>& nudged() { return nudged_; }

 private:
  TemporaryFolder folder_;
  ShellOptions options_;
  testing::TestIo io_;
  Pool pool_{2};
  std::set<std::string> nudged_;
  std::unique_ptr<Shell> shell_;
};

}  // namespace waybill::plugins
