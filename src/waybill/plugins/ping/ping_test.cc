#include "waybill/plugins/ping/ping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <vector>

#include "tests/support/test_io.h"
#include "waybill/base/status.h"

namespace waybill::plugins {
namespace {

namespace json = boost::json;
using ports::RunPhase;

std::shared_ptr<ports::JobRequest> ping_job(const char* id, json::object context = {}) {
  auto request = std::make_shared<ports::JobRequest>();
  request->job.id = JobId(id);
  request->job.spec.user = "alice";
  request->context = std::move(context);
  request->command = std::make_shared<domain::Command>();
  request->cluster = std::make_shared<domain::Cluster>();
  return request;
}

class PingTest : public ::testing::Test {
 protected:
  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_{io_.context()};
  std::vector<JobId> nudged_;
  Ping ping_{io_.executor(), clock_, [this](const JobId& id) { nudged_.push_back(id); }};
};

TEST_F(PingTest, GreetsTheCallerAtOnce) {
  const auto started = io_.run(ping_.start(ping_job("a")));
  ASSERT_TRUE(started.ok());
  ASSERT_TRUE(started->outcome);
  EXPECT_EQ(started->outcome->phase, RunPhase::kSucceeded);
  ASSERT_EQ(started->outcome->result->columns.size(), 1U);
  EXPECT_EQ(started->outcome->result->columns[0].name, "message");
  EXPECT_EQ(started->outcome->result->columns[0].type, "string");
  EXPECT_EQ(json::serialize(started->outcome->result->rows), R"([["Hello, alice!"]])");
}

TEST_F(PingTest, SleepsFirstIfAskedToAndNudgesThen) {
  const auto job = ping_job("a", {{"sleep_ms", 250}});
  const auto started = io_.run(ping_.start(job));
  ASSERT_TRUE(started.ok());
  EXPECT_FALSE(started->outcome);
  clock_.advance(absl::Milliseconds(249));
  EXPECT_EQ(io_.run(ping_.observe(job, started->handle))->phase, RunPhase::kRunning);
  EXPECT_EQ(io_.run(ping_.start(job))->handle, started->handle);
  io_.drain();
  EXPECT_TRUE(nudged_.empty());
  clock_.advance(absl::Milliseconds(1));
  io_.wait_until([&] { return !nudged_.empty(); });
  EXPECT_THAT(nudged_, ::testing::ElementsAre(JobId("a")));
  EXPECT_EQ(io_.run(ping_.observe(job, started->handle))->phase, RunPhase::kSucceeded);
}

TEST_F(PingTest, TheHandleAloneTellsTheEndAfterARestart) {
  const auto job = ping_job("a", {{"sleep_ms", 250}});
  const auto started = io_.run(ping_.start(job));
  Ping other(io_.executor(), clock_, [this](const JobId& id) { nudged_.push_back(id); });
  EXPECT_EQ(io_.run(other.observe(job, started->handle))->phase, RunPhase::kRunning);
  clock_.advance(absl::Milliseconds(250));
  EXPECT_EQ(io_.run(other.observe(job, started->handle))->phase, RunPhase::kSucceeded);
}

TEST_F(PingTest, CancelEndsThisRunAndNoOther) {
  const auto job = ping_job("a", {{"sleep_ms", 250}});
  const auto other = ping_job("b", {{"sleep_ms", 250}});
  const auto started = io_.run(ping_.start(job));
  const auto going_on = io_.run(ping_.start(other));
  EXPECT_TRUE(io_.run(ping_.cancel(job, started->handle)).ok());
  EXPECT_EQ(io_.run(ping_.observe(job, started->handle))->phase, RunPhase::kFailed);
  EXPECT_EQ(io_.run(ping_.observe(other, going_on->handle))->phase, RunPhase::kRunning);
  EXPECT_THAT(nudged_, ::testing::ElementsAre(JobId("a")));
}

TEST_F(PingTest, ASleepMustBeAWholeNumberOfMillisecondsWithinADay) {
  for (const json::value& good :
       {json::value(0), json::value(86'400'000), json::value(5.0), json::value(nullptr)})
    EXPECT_TRUE(ping_.validate(*ping_job("a", {{"sleep_ms", good}})).ok()) << good;
  for (const json::value& bad :
       {json::value(-1), json::value(86'400'001), json::value(0.5), json::value("1"), json::value(true)}) {
    const absl::Status refused = ping_.validate(*ping_job("a", {{"sleep_ms", bad}}));
    EXPECT_EQ(message(refused),
              "context.sleep_ms: " + json::serialize(bad) + " is not a whole number from 0 to 86400000");
  }
}

}  // namespace
}  // namespace waybill::plugins
