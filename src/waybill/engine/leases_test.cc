#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

#include "waybill/base/status.h"
#include "waybill/domain/job_state.h"
#include "waybill/engine/test_kit.h"

// Restarts, takeovers, lost hosts, a database that is away.
namespace waybill::engine {
namespace {

using domain::EndReason;
using domain::JobStatus;
using ports::RunPhase;
using testing::FaultyJobStore;

using LeasesTest = EngineTest;

TEST_F(LeasesTest, AfterARestartARunningJobIsObservedOn) {
  start();
  const JobId id = submit();
  const auto epoch = wait_for(id, JobStatus::kRunning).state.epoch;
  crash();
  start();
  EXPECT_EQ(job(id).state.epoch, epoch + 1);
  end_run(id);
  const domain::Job done = advance_to_end(id);
  EXPECT_EQ(done.state.status, JobStatus::kSucceeded);
  EXPECT_EQ(done.state.attempt, 1);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, ACrashBetweenStartAndStoreFindsTheSameRun) {
  fake_->hold_starts = true;
  start();
  const JobId id = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  crash();
  fake_->release_starts();  // the run is there, but its handle was stored by nobody
  settle();
  EXPECT_EQ(fake_->runs_of(id), 1);
  start();
  const domain::Job running = wait_for(id, JobStatus::kRunning);
  EXPECT_EQ(running.state.attempt, 1);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, ACrashBetweenAStartThatCantBeRepeatedAndItsStoreIsUnknown) {
  fake_->edit_traits().restartable_start = false;
  fake_->creates_new_runs = true;
  fake_->hold_starts = true;
  start();
  const JobId id = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  crash();
  fake_->release_starts();
  settle();
  start();
  const domain::Job done = wait_for(id, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kStartUnknown);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, ACrashBeforeAStartThatCantBeRepeatedStartsIt) {
  fake_->edit_traits().restartable_start = false;
  fake_->creates_new_runs = true;
  options_.pool_size = 1;
  fake_->hold_starts = true;
  start();
  const JobId first = submit();
  const JobId second = submit();  // waits for its place
  wait_for(second, JobStatus::kAccepted);
  crash();
  fake_->release_starts();
  start();
  wait_for(second, JobStatus::kRunning);
  EXPECT_EQ(fake_->runs_of(second), 1);
  EXPECT_EQ(wait_for(first, JobStatus::kKilled).state.reason, EndReason::kStartUnknown);
}

TEST_F(LeasesTest, ACancelOutlivesACrash) {
  fake_->obeys_cancel = false;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  ASSERT_TRUE(run(engine().canceler().cancel(id, caller())).ok());
  crash();
  fake_->obeys_cancel = true;
  start();
  wait_for(id, JobStatus::kCanceled);
}

TEST_F(LeasesTest, ACancelDuringAStartThatACrashEndedStopsTheRun) {
  fake_->hold_starts = true;
  start();
  const JobId id = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  ASSERT_TRUE(run(engine().canceler().cancel(id, caller())).ok());
  crash();
  fake_->release_starts();
  settle();
  start();
  wait_for(id, JobStatus::kCanceled);
  EXPECT_EQ(fake_->runs_of(id), 1);
  EXPECT_GE(fake_->find(id)->cancels, 1);
}

TEST_F(LeasesTest, AnotherInstanceTakesOverOnceAndTheOldOwnerCanNoLongerWrite) {
  Engine& old_owner = start("a", "host-a");
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  crash(old_owner);
  start("b", "host-b");
  for (int i = 0; i < 8; ++i) advance(absl::Seconds(5));
  EXPECT_EQ(job(id).state.owner, InstanceId("a"));  // 40 s: the lease is not over
  advance_until(absl::Seconds(5), [&] { return job(id).state.owner == InstanceId("b"); }, "the takeover");
  const domain::Job taken = job(id);
  EXPECT_EQ(taken.state.status, JobStatus::kRunning);
  EXPECT_EQ(taken.state.attempt, 1);
  end_run(id);
  wait_for(id, JobStatus::kSucceeded);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, AnInstanceThatCouldNotRenewStartsNothing) {
  start();
  settle();
  jobs_->no_heartbeats(true);  // everything else works
  for (int i = 0; i < 8; ++i) advance(absl::Seconds(5));
  EXPECT_FALSE(engine().status().ready);
  const JobId id = submit();
  for (int i = 0; i < 8; ++i) advance(absl::Seconds(5));
  EXPECT_NE(job(id).state.status, JobStatus::kRunning);
  EXPECT_EQ(fake_->start_calls, 0);
  jobs_->no_heartbeats(false);
  advance_to(id, JobStatus::kRunning);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, WhileTheDatabaseIsAwayJobsGoOnAndAreRecordedWhenItReturns) {
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  jobs_->down(true);
  end_run(id);
  for (int i = 0; i < 20; ++i) advance(absl::Seconds(5));
  jobs_->down(false);
  const domain::Job done = advance_to_end(id);
  EXPECT_EQ(done.state.status, JobStatus::kSucceeded);
}

TEST_F(LeasesTest, AClaimWhoseAnswerGotLostIsFoundAgain) {
  start();
  settle();
  jobs_->fail(jobs_->changes() + 2, FaultyJobStore::Moment::kAfter);  // the insert, then the claim
  const JobId id = submit();
  const domain::Job running = advance_to(id, JobStatus::kRunning);
  EXPECT_EQ(running.state.attempt, 1);
  EXPECT_TRUE(jobs_->was_hit());
}

TEST_F(LeasesTest, AClockThatJumpsAheadEndsNoRunAndStartsNoneTwice) {
  start("a", "host-a");
  start("b", "host-b");
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  for (const absl::Duration jump : {absl::Minutes(1), absl::Hours(24 * 30)}) {
    advance(jump);  // every lease has run out, and nobody was gone
    settle();
  }
  end_run(id);
  const domain::Job done = advance_to_end(id);
  EXPECT_EQ(done.state.status, JobStatus::kSucceeded);
  EXPECT_EQ(done.state.attempt, 1);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(LeasesTest, AHostThatStaysAwayLosesItsJobs) {
  fake_->edit_traits().host_local = true;
  Engine& first = start("a", "host-a");
  domain::JobSpec asked = spec();
  asked.max_attempts = 2;
  const JobId again = submit(asked);
  const JobId once = submit();
  wait_for(again, JobStatus::kRunning);
  wait_for(once, JobStatus::kRunning);
  crash(first);
  start("b", "host-b");
  for (int i = 0; i < 14; ++i) advance(absl::Minutes(1));
  EXPECT_EQ(job(once).state.status, JobStatus::kRunning);  // only host-a can see it
  const domain::Job lost = advance_to_end(once, absl::Seconds(10));
  EXPECT_EQ(lost.state.status, JobStatus::kKilled);
  EXPECT_EQ(lost.state.reason, EndReason::kHostLost);
  const domain::Job second = advance_to(again, JobStatus::kRunning);
  EXPECT_EQ(second.state.attempt, 2);
  EXPECT_EQ(second.state.host, "host-b");
}

TEST_F(LeasesTest, AHostThatComesBackEndsTheRunThatWasGivenUp) {
  fake_->edit_traits().host_local = true;
  cluster_.attributes = {
      {"K", domain::AttributeKind::kText, domain::AttributeShow::kAlways, "{{ .Outputs.k }}"}};
  start("a", "host-a");
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  domain::JobState given_up = job(id).state;
  const auto killed = domain::apply(given_up, domain::Ended{EndReason::kHostLost, "away"}, clock_.now());
  ASSERT_TRUE(killed.ok());
  ports::JobWrite write;  // as another instance writes it while host-a is cut off
  write.id = id;
  write.expected_status = given_up.status;
  write.expected_epoch = given_up.epoch;
  write.state = *killed;
  ASSERT_TRUE(run(storage_->jobs().write(write)).ok());
  fake_->find(id)->now.outputs = {{"k", "v"}};  // its next write is refused
  engine().nudge(id);
  advance_until(absl::Seconds(1), [&] { return fake_->find(id)->cancels > 0; }, "the end of the run");
  advance_until(absl::Seconds(1), [&] { return engine().status().running == 0; }, "letting go");
  EXPECT_EQ(fake_->find(id)->now.phase, RunPhase::kFailed);
  EXPECT_EQ(job(id).state.status, JobStatus::kKilled);
  EXPECT_EQ(job(id).attributes.count("K"), 0U);
}

TEST_F(LeasesTest, AGracefulStopLeavesTheRunAndTheNextStartFollowsIt) {
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  stop(engine());
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
  EXPECT_EQ(fake_->find(id)->cancels, 0);
  start();
  end_run(id);
  wait_for(id, JobStatus::kSucceeded);
}

TEST_F(LeasesTest, AStopWaitsForAStartInProgressAndStoresItsHandle) {
  fake_->edit_traits().restartable_start = false;
  fake_->hold_starts = true;
  start();
  const JobId id = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  bool stopped = false;
  auto done = [&](std::exception_ptr) { stopped = true; };
  boost::asio::co_spawn(io_.context(), engine().stop(), done);
  settle();
  EXPECT_FALSE(stopped);
  fake_->release_starts();
  wait_until([&] { return stopped; }, "the stop");
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
}

}  // namespace
}  // namespace waybill::engine
