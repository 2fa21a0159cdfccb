#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// A job's way from its submit to its end, with everything well.
namespace waybill::engine {
namespace {

using domain::EndReason;
using domain::JobStatus;
using ports::RunPhase;
using ::testing::ElementsAre;

using LifecycleTest = EngineTest;

std::shared_ptr<const domain::ResultTable> greeting() {
  auto table = std::make_shared<domain::ResultTable>();
  table->columns = {{"message", "string"}};
  table->rows = boost::json::array{boost::json::array{"Hello, alice!"}};
  return table;
}

TEST_F(LifecycleTest, AJobIsClaimedStartedObservedAndFinished) {
  start();
  const JobId id = submit();
  const domain::Job running = wait_for(id, JobStatus::kRunning);
  EXPECT_EQ(running.state.handle, id.str() + "/1");
  EXPECT_EQ(running.state.owner, InstanceId("a"));
  EXPECT_EQ(running.state.started_at, clock_.now());
  end_run(id);
  const domain::Job done = wait_for(id, JobStatus::kSucceeded);
  EXPECT_TRUE(done.state.owner.empty());
  EXPECT_THAT(history(id), ElementsAre("NEW", "ACCEPTED", "RUNNING", "SUCCEEDED"));
  wait_until([&] { return fake_->find(id)->cleanups == 1; }, "the cleanup");
  EXPECT_EQ(engine().status().running, 0);
}

TEST_F(LifecycleTest, AJobIsStartedByTheNoticeOfItsSubmitWithoutAPoll) {
  start();
  settle();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);  // the clock stands still, so no poll came
}

TEST_F(LifecycleTest, AnEndIsFoundByPollingWhenNobodyNudges) {
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  fake_->find(id)->now.phase = RunPhase::kSucceeded;
  advance_to(id, JobStatus::kSucceeded);
}

TEST_F(LifecycleTest, TheJobsOwnFailureKeepsItsErrorAndIsNotTriedAgain) {
  start();
  domain::JobSpec asked = spec();
  asked.max_attempts = 3;
  const JobId id = submit(asked);
  wait_for(id, JobStatus::kRunning);
  end_run(id, RunPhase::kFailed, "exit status 3");
  const domain::Job done = wait_for(id, JobStatus::kFailed);
  EXPECT_EQ(done.state.error, "exit status 3");
  EXPECT_EQ(done.state.attempt, 1);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LifecycleTest, AStartThatBringsTheEndIsOneCommit) {
  fake_->ends_at_start = true;
  fake_->end.result = greeting();
  start();
  const JobId id = submit();
  const domain::Job done = wait_for(id, JobStatus::kSucceeded);
  EXPECT_EQ(done.state.handle, id.str() + "/1");
  EXPECT_TRUE(done.has_result);
  EXPECT_THAT(history(id), ElementsAre("NEW", "ACCEPTED", "SUCCEEDED"));
  const auto text = run(results_->get(id));
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, ::testing::HasSubstr("Hello, alice!"));
}

TEST_F(LifecycleTest, ABatchOfJobsRunsToItsEnd) {
  fake_->ends_at_start = true;
  start();
  std::vector<domain::JobSpec> specs(300, spec());
  const auto submitted = run(engine().submitter().submit_all(specs, true, "", caller()));
  ASSERT_TRUE(submitted.ok());
  for (const auto& one : *submitted) {
    ASSERT_TRUE(one.ok()) << one.status();
    wait_for(one->job.id, JobStatus::kSucceeded);
  }
  EXPECT_EQ(fake_->started.size(), 300U);
}

TEST_F(LifecycleTest, AnOldPollIntervalGrowsAndANudgeMakesItShortAgain) {
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  for (int i = 0; i < 60; ++i) advance(absl::Seconds(1));
  fake_->find(id)->now.phase = RunPhase::kSucceeded;
  advance(absl::Seconds(1));
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);  // looked at every 10 s by now
  engine().nudge(id);
  wait_for(id, JobStatus::kSucceeded);
}

TEST_F(LifecycleTest, PoolSizeBoundsStartCallsInProgress) {
  options_.pool_size = 2;
  fake_->hold_starts = true;
  start();
  std::vector<JobId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(submit());
  wait_until([&] { return fake_->start_calls == 2; });
  settle();
  EXPECT_EQ(fake_->start_calls, 2);
  fake_->release_starts();
  for (const JobId& id : ids) advance_to(id, JobStatus::kRunning);
  EXPECT_EQ(fake_->start_calls, 6);
}

TEST_F(LifecycleTest, PoolSizeBoundsRunningJobsOfThisHost) {
  options_.pool_size = 2;
  fake_->edit_traits().host_local = true;
  start();
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit());
  wait_until([&] { return fake_->start_calls == 2; });
  advance(absl::Seconds(5));
  EXPECT_EQ(fake_->start_calls, 2);
  EXPECT_EQ(job(ids[4]).state.status, JobStatus::kNew);
  end_run(ids[0]);
  wait_for(ids[2], JobStatus::kRunning);
  EXPECT_EQ(job(ids[2]).state.host, "host-a");
}

TEST_F(LifecycleTest, MaxRemoteBoundsLeasedRemoteJobs) {
  options_.max_remote = 3;
  start();
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit());
  wait_for(ids[2], JobStatus::kRunning);
  advance(absl::Seconds(5));
  EXPECT_EQ(job(ids[3]).state.status, JobStatus::kNew);
  end_run(ids[0]);
  wait_for(ids[3], JobStatus::kRunning);
}

TEST_F(LifecycleTest, TheQueueIsOrderedByPriorityThenAge) {
  options_.pool_size = 1;
  fake_->edit_traits().host_local = true;
  start();
  const JobId blocker = submit();
  wait_for(blocker, JobStatus::kRunning);
  domain::JobSpec low = spec("low");
  low.priority = -5;
  domain::JobSpec high = spec("high");
  high.priority = 7;
  const JobId last = submit(low);
  const JobId second = submit(spec("normal"));
  const JobId first = submit(high, caller("root", true));
  std::vector<JobId> order = {blocker, first, second, last};
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    end_run(order[i]);
    wait_for(order[i + 1], JobStatus::kRunning);
  }
}

TEST_F(LifecycleTest, RunningPerUserLetsOthersPass) {
  options_.running_per_user = 1;
  start();
  const JobId first = submit();
  const JobId second = submit();
  const JobId other = submit(spec(), caller("bob"));
  wait_for(first, JobStatus::kRunning);
  wait_for(other, JobStatus::kRunning);
  advance(absl::Seconds(3));
  EXPECT_EQ(job(second).state.status, JobStatus::kNew);
  end_run(first);
  advance_to(second, JobStatus::kRunning);
}

TEST_F(LifecycleTest, AnInstanceWithoutTheWorkerRoleClaimsNothing) {
  options_.roles = {"api"};
  start();
  const JobId id = submit();
  advance(absl::Seconds(10));
  EXPECT_EQ(job(id).state.status, JobStatus::kNew);
}

TEST_F(LifecycleTest, AFullDiskDelaysAResultButLosesNone) {
  fake_->ends_at_start = true;
  fake_->end.result = greeting();
  std::filesystem::create_directories(directory_);
  const auto in_the_way = directory_ / "results";
  {
    std::ofstream file(in_the_way);
  }  // a file where the directory should be: nothing can be stored
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kAccepted);
  advance(absl::Seconds(3));
  EXPECT_EQ(job(id).state.status, JobStatus::kAccepted);
  std::filesystem::remove(in_the_way);
  const domain::Job done = advance_to_end(id);
  EXPECT_TRUE(done.has_result);
}

}  // namespace
}  // namespace waybill::engine
