// What every executor must do, whatever it runs. An executor joins with one line at the end and a case that
// says how to make it and what to ask of it.
#include <absl/time/clock.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/support/test_io.h"
#include "waybill/base/pool.h"
#include "waybill/base/status.h"
#include "waybill/plugins/builtin.h"
#include "waybill/storage/files/log_store.h"

namespace waybill::testing {
namespace {

namespace json = boost::json;
using ports::RunPhase;

// The wall's own time: the systems behind executors know no other.
class WallClock : public ports::Clock {
 public:
  explicit WallClock(boost::asio::io_context& io) : io_(io) {}
  [[nodiscard]] absl::Time now() const override { return absl::Now(); }
  Task<void> sleep(absl::Duration duration) override {
    boost::asio::steady_timer timer(io_, absl::ToChronoNanoseconds(duration));
    auto result = co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    static_cast<void>(result);
  }

 private:
  boost::asio::io_context& io_;
};

struct ExecutorCase {
  std::string plugin;
  std::function<void(ports::JobRequest&)> short_job;    // ends well by itself; counts its runs in folder/ran
  std::function<void(ports::JobRequest&)> long_job;     // runs for minutes unless it is canceled
  std::function<void(ports::JobRequest&)> failing_job;  // null: this executor's jobs can't fail
  std::string failure;                                  // its text
  std::function<void(ports::JobRequest&)> wrong_job;    // a context of a wrong type
  std::string wrong_key;                                // that the refusal names
  domain::Outputs outputs;                              // of the short job, at least
  std::string log;                                      // its stdout; "": it writes none
};

void PrintTo(const ExecutorCase& executor, std::ostream* out) { *out << executor.plugin; }

void run_script(ports::JobRequest& request, const std::string& script) {
  auto command = std::make_shared<domain::Command>();
  command->context = json::object{{"command", json::array{"/bin/sh", "-c"}}};
  request.command = std::move(command);
  request.job.spec.context = json::object{{"arguments", json::array{script}}};
}

ExecutorCase shell_case() {
  ExecutorCase shell;
  shell.plugin = "shell";
  shell.short_job = [](ports::JobRequest& request) {
    run_script(request, "echo ran >> ../ran; echo said; echo place=here >> $WAYBILL_OUTPUT");
  };
  shell.long_job = [](ports::JobRequest& request) { run_script(request, "sleep 300"); };
  shell.failing_job = [](ports::JobRequest& request) { run_script(request, "exit 7"); };
  shell.failure = "exit status 7";
  shell.wrong_job = [](ports::JobRequest& request) {
    request.job.spec.context = json::object{{"arguments", "no list"}};
  };
  shell.wrong_key = "arguments";
  shell.outputs = {{"place", "here"}, {"exit_code", "0"}};
  shell.log = "said\n";
  return shell;
}

ExecutorCase ping_case() {
  ExecutorCase ping;
  ping.plugin = "ping";
  ping.short_job = [](ports::JobRequest& request) { request.context["sleep_ms"] = 50; };
  ping.long_job = [](ports::JobRequest& request) { request.context["sleep_ms"] = 300'000; };
  ping.wrong_job = [](ports::JobRequest& request) { request.context["sleep_ms"] = "soon"; };
  ping.wrong_key = "sleep_ms";
  return ping;
}

class ExecutorTest : public ::testing::TestWithParam<ExecutorCase> {
 protected:
  ExecutorTest() { restart(); }
  ~ExecutorTest() override {
    // Nothing that a test started goes on.
    for (const auto& [request, handle] : started_) {
      static_cast<void>(io_.run(executor().cancel(request, handle)));
      look_until(request, handle, [](const ports::Observation& seen) { return is_over(seen); });
      static_cast<void>(io_.run(executor().cleanup(request, handle)));
    }
    pool_.join();
    std::filesystem::remove_all(folder_);
  }

  ports::Executor& executor() { return *executors_.at(GetParam().plugin); }
  // A new process that knows nothing but the jobs directory.
  void restart() {
    executors_.clear();
    plugins::ShellOptions shell;
    shell.supervisor = {WAYBILL_TEST_SUPERVISOR};
    shell.jobs_directory = folder_;
    executors_ = plugins::make_executors({.io = io_.executor(),
                                          .pool = pool_,
                                          .clock = clock_,
                                          .nudge = [this](const JobId& id) { nudged_.insert(id); },
                                          .shell = std::move(shell)});
  }
  std::shared_ptr<ports::JobRequest> job(const std::function<void(ports::JobRequest&)>& what,
                                         int attempt = 1) {
    auto request = std::make_shared<ports::JobRequest>();
    request->job.id = JobId("0191d2a0-0000-7000-8000-000000000001");
    request->job.state.attempt = attempt;
    request->job.spec.user = "alice";
    request->command = std::make_shared<domain::Command>();
    request->cluster = std::make_shared<domain::Cluster>();
    what(*request);
    return request;
  }
  ports::StartResult start(const std::shared_ptr<ports::JobRequest>& request) {
    absl::StatusOr<ports::StartResult> result = io_.run(executor().start(request));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_FALSE(result->handle.empty());
    started_.emplace_back(request, result->handle);
    return *std::move(result);
  }
  ports::Observation look(const std::shared_ptr<ports::JobRequest>& request, const std::string& handle) {
    absl::StatusOr<ports::Observation> seen = io_.run(executor().observe(request, handle));
    EXPECT_TRUE(seen.ok()) << seen.status();
    return seen.ok() ? *std::move(seen) : ports::Observation{};
  }
  static bool is_over(const ports::Observation& seen) {
    return seen.phase != RunPhase::kPending && seen.phase != RunPhase::kRunning;
  }
  ports::Observation look_until(const std::shared_ptr<ports::JobRequest>& request, const std::string& handle,
                                const std::function<bool(const ports::Observation&)>& done) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    for (;;) {
      ports::Observation seen = look(request, handle);
      if (done(seen)) return seen;
      if (absl::Now() > deadline) throw std::runtime_error("looked for a minute in vain");
      io_.context().restart();
      io_.context().run_for(std::chrono::milliseconds(10));
    }
  }
  ports::Observation to_end(const std::shared_ptr<ports::JobRequest>& request, const std::string& handle) {
    return look_until(request, handle, is_over);
  }
  std::string ran() {
    std::ifstream in(folder_ / "ran");
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  static std::filesystem::path make_folder() {
    std::string name = "/tmp/waybill-executor-XXXXXX";
    return ::mkdtemp(name.data());
  }

  std::filesystem::path folder_ = make_folder();
  TestIo io_;
  WallClock clock_{io_.context()};
  Pool pool_{2};
  std::set<JobId> nudged_;
  ports::Executors executors_;
  std::vector<std::pair<std::shared_ptr<ports::JobRequest>, std::string>> started_;
};

TEST_P(ExecutorTest, SaysWhatItIs) {
  const ports::ExecutorTraits& traits = executor().traits();
  EXPECT_EQ(traits.plugin, GetParam().plugin);
  EXPECT_GT(traits.poll_min, absl::ZeroDuration());
  EXPECT_LE(traits.poll_min, traits.poll_max);
  std::set<std::string> names;
  for (const ports::ContextKey& key : traits.keys) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_NE(key.levels, 0U) << key.name;
    EXPECT_NE(key.what, "") << key.name;
    EXPECT_TRUE(key.example.starts_with(key.name + ":")) << key.name;
  }
}

TEST_P(ExecutorTest, AWrongTypeIsRefusedAndNamed) {
  const auto request = job(GetParam().wrong_job);
  const absl::Status refused = executor().validate(*request);
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message(refused), ::testing::HasSubstr(GetParam().wrong_key));
  EXPECT_EQ(io_.run(executor().start(request)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(ExecutorTest, AShortJobRunsToItsEndWithItsOutputs) {
  const auto request = job(GetParam().short_job);
  EXPECT_TRUE(executor().validate(*request).ok());
  const ports::StartResult started = start(request);
  const ports::Observation end = to_end(request, started.handle);
  EXPECT_EQ(end.phase, RunPhase::kSucceeded);
  EXPECT_EQ(end.error, "");
  for (const auto& [key, value] : GetParam().outputs) EXPECT_EQ(end.outputs.at(key), value);
  // Whoever asks again hears the same, outputs included.
  restart();
  const ports::Observation again = look(request, started.handle);
  EXPECT_EQ(again.phase, RunPhase::kSucceeded);
  EXPECT_EQ(again.outputs, end.outputs);
}

TEST_P(ExecutorTest, TheEndIsNudged) {
  const auto request = job(GetParam().short_job);
  start(request);
  io_.wait_until([&] { return nudged_.contains(request->job.id); });
}

TEST_P(ExecutorTest, StartTwiceIsOneRun) {
  const auto request = job(GetParam().short_job);
  const ports::StartResult first = start(request);
  EXPECT_EQ(start(request).handle, first.handle);
  EXPECT_EQ(to_end(request, first.handle).phase, RunPhase::kSucceeded);
  start(request);
  if (executor().traits().restartable_start) {
    restart();
    EXPECT_EQ(to_end(request, start(request).handle).phase, RunPhase::kSucceeded);
  }
  EXPECT_THAT(ran(), ::testing::AnyOf("", "ran\n"));
}

TEST_P(ExecutorTest, AnotherAttemptIsAnotherRun) {
  const auto first = job(GetParam().short_job);
  const auto second = job(GetParam().short_job, 2);
  const std::string handle = start(first).handle;
  to_end(first, handle);
  const std::string other = start(second).handle;
  EXPECT_NE(other, handle);
  EXPECT_EQ(to_end(second, other).phase, RunPhase::kSucceeded);
}

TEST_P(ExecutorTest, ARunIsFollowedOnAfterARestart) {
  const auto request = job(GetParam().long_job);
  const std::string handle = start(request).handle;
  look_until(request, handle,
             [](const ports::Observation& seen) { return seen.phase == RunPhase::kRunning; });
  restart();
  EXPECT_EQ(look(request, handle).phase, RunPhase::kRunning);
  EXPECT_TRUE(io_.run(executor().cancel(request, handle)).ok());
  EXPECT_THAT(to_end(request, handle).phase,
              ::testing::AnyOf(RunPhase::kFailed, RunPhase::kEnded, RunPhase::kUnknown));
}

TEST_P(ExecutorTest, CancelRightAfterStartEndsTheRun) {
  const auto request = job(GetParam().long_job);
  const std::string handle = start(request).handle;
  EXPECT_TRUE(io_.run(executor().cancel(request, handle)).ok());
  EXPECT_TRUE(io_.run(executor().cancel(request, handle)).ok());
  EXPECT_NE(to_end(request, handle).phase, RunPhase::kSucceeded);
}

TEST_P(ExecutorTest, CancelAfterTheEndChangesNothing) {
  const auto request = job(GetParam().short_job);
  const std::string handle = start(request).handle;
  to_end(request, handle);
  EXPECT_TRUE(io_.run(executor().cancel(request, handle)).ok());
  EXPECT_EQ(look(request, handle).phase, RunPhase::kSucceeded);
}

TEST_P(ExecutorTest, AnUnknownHandleIsUnknownEverywhere) {
  const auto request = job(GetParam().short_job);
  for (const char* handle : {"", "nonsense", "shell 0191d2a0-0000-7000-8000-00000000ffff/1"}) {
    EXPECT_EQ(look(request, handle).phase, RunPhase::kUnknown) << handle;
    EXPECT_TRUE(io_.run(executor().cancel(request, handle)).ok()) << handle;
    EXPECT_TRUE(io_.run(executor().cleanup(request, handle)).ok()) << handle;
  }
}

TEST_P(ExecutorTest, AFailureIsTheJobsOwnAndSaysWhy) {
  if (!GetParam().failing_job) {
    EXPECT_EQ(GetParam().failure, "");
    return;
  }
  const auto request = job(GetParam().failing_job);
  const ports::Observation end = to_end(request, start(request).handle);
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_EQ(end.error, GetParam().failure);
}

TEST_P(ExecutorTest, TheLogStaysAfterCleanup) {
  const auto request = job(GetParam().short_job);
  const std::string handle = start(request).handle;
  to_end(request, handle);
  EXPECT_TRUE(io_.run(executor().cleanup(request, handle)).ok());
  EXPECT_TRUE(io_.run(executor().cleanup(request, handle)).ok());
  storage::FileLogStore logs(pool_, folder_);
  const auto chunk = io_.run(logs.read(request->job.id, 1, ports::LogStream::kStdout, 0, 1000));
  EXPECT_EQ(chunk.ok() ? chunk->bytes : "", GetParam().log);
}

TEST_P(ExecutorTest, TheProbeOfAHealthyClusterIsFine) {
  EXPECT_TRUE(io_.run(executor().check(std::make_shared<domain::Cluster>())).ok());
}

INSTANTIATE_TEST_SUITE_P(All, ExecutorTest, ::testing::Values(ping_case(), shell_case()),
                         [](const auto& info) { return info.param.plugin; });

}  // namespace
}  // namespace waybill::testing
