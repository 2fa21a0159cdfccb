#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// Ends from outside: attempts, backoff, timeouts, starts that fail.
namespace waybill::engine {
namespace {

using domain::EndReason;
using domain::JobStatus;
using ports::RunPhase;
using ::testing::ElementsAre;

class AttemptsTest : public EngineTest {
 protected:
  JobId submit_with(int attempts, absl::Duration timeout = absl::ZeroDuration()) {
    domain::JobSpec asked = spec();
    asked.max_attempts = attempts;
    asked.timeout = timeout;
    return submit(asked);
  }
  void end_from_outside(const JobId& id, EndReason why, int attempt = 1) {
    fake_->find(id, attempt)->now.reason = why;
    end_run(id, RunPhase::kEnded, "the node went away", attempt);
  }
};

TEST_F(AttemptsTest, ALostRunIsTriedAgainAfterAWaitUnderItsNextName) {
  start();
  const JobId id = submit_with(2);
  wait_for(id, JobStatus::kRunning);
  end_from_outside(id, EndReason::kNodeGone);
  const domain::Job waiting = wait_for(id, JobStatus::kNew);
  EXPECT_EQ(waiting.state.attempt, 2);
  EXPECT_EQ(waiting.state.reason, EndReason::kNodeGone);
  settle();
  EXPECT_EQ(fake_->runs_of(id), 1);  // its second is not over
  const domain::Job running = advance_to(id, JobStatus::kRunning);
  EXPECT_EQ(running.state.handle, id.str() + "/2");
  EXPECT_EQ(running.state.reason, EndReason::kNone);
  end_run(id, RunPhase::kSucceeded, "", 2);
  wait_for(id, JobStatus::kSucceeded);
  EXPECT_THAT(history(id),
              ElementsAre("NEW", "ACCEPTED", "RUNNING", "NEW", "ACCEPTED", "RUNNING", "SUCCEEDED"));
  std::vector<EndReason> reasons;
  const auto steps = run(storage_->jobs().transitions(id));
  ASSERT_TRUE(steps.ok());
  for (const ports::JobTransition& step : *steps) {
    reasons.push_back(step.reason);
  }
  EXPECT_THAT(reasons, ElementsAre(EndReason::kNone, EndReason::kNone, EndReason::kNone, EndReason::kNodeGone,
                                   EndReason::kNone, EndReason::kNone, EndReason::kNone));
  const auto attempts = run(storage_->jobs().attempts(id));
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->size(), 2U);
  EXPECT_EQ((*attempts)[0].reason, EndReason::kNodeGone);
  EXPECT_EQ((*attempts)[0].handle, id.str() + "/1");
  EXPECT_EQ((*attempts)[1].status, JobStatus::kSucceeded);
}

TEST_F(AttemptsTest, KilledIsWrittenOnlyWhenNoAttemptIsLeft) {
  start();
  const JobId id = submit_with(2);
  wait_for(id, JobStatus::kRunning);
  end_from_outside(id, EndReason::kLost, 1);
  wait_for(id, JobStatus::kNew);
  advance_to(id, JobStatus::kRunning);
  end_from_outside(id, EndReason::kLost, 2);
  const domain::Job done = wait_for(id, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kLost);
  EXPECT_EQ(done.state.error, "the node went away");
}

TEST_F(AttemptsTest, ARunThatDisappearedIsLost) {
  start();
  const JobId id = submit_with(1);
  wait_for(id, JobStatus::kRunning);
  fake_->find(id)->exists = false;
  engine().nudge(id);
  const domain::Job done = wait_for(id, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kLost);
}

TEST_F(AttemptsTest, ADeletedRunIsNotTriedAgain) {
  start();
  const JobId id = submit_with(3);
  wait_for(id, JobStatus::kRunning);
  end_from_outside(id, EndReason::kDeleted);
  EXPECT_EQ(wait_for(id, JobStatus::kKilled).state.reason, EndReason::kDeleted);
}

TEST_F(AttemptsTest, AJobOverItsTimeIsEndedAndKilled) {
  start();
  const JobId id = submit_with(3, absl::Seconds(90));
  wait_for(id, JobStatus::kRunning);
  for (int i = 0; i < 8; ++i) advance(absl::Seconds(10));
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
  EXPECT_EQ(fake_->find(id)->cancels, 0);
  const domain::Job done = advance_to_end(id, absl::Seconds(10));
  EXPECT_EQ(done.state.status, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kTimeout);
  EXPECT_GE(fake_->find(id)->cancels, 1);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(AttemptsTest, ATimeoutWaitsUntilTheRunIsGone) {
  fake_->obeys_cancel = false;
  start();
  const JobId id = submit_with(1, absl::Seconds(5));
  wait_for(id, JobStatus::kRunning);
  for (int i = 0; i < 10; ++i) advance(absl::Seconds(1));
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
  EXPECT_GE(fake_->find(id)->cancels, 2);
  fake_->find(id)->exists = false;
  EXPECT_EQ(advance_to_end(id).state.reason, EndReason::kTimeout);
}

TEST_F(AttemptsTest, TheCommandsTimeoutCountsWhereTheJobGivesNone) {
  command_.timeout = absl::Seconds(5);
  start();
  const JobId id = submit_with(1);
  wait_for(id, JobStatus::kRunning);
  EXPECT_EQ(job(id).spec.timeout, absl::Seconds(5));
  EXPECT_EQ(advance_to_end(id).state.reason, EndReason::kTimeout);
}

TEST_F(AttemptsTest, AStartThatFailsIsTheNextAttempt) {
  fake_->start_errors = {unavailable("the API server is away")};
  start();
  const JobId id = submit_with(2);
  const domain::Job running = advance_to(id, JobStatus::kRunning);
  EXPECT_EQ(running.state.attempt, 2);
}

TEST_F(AttemptsTest, AStartThatFailsForTheLastTimeKills) {
  fake_->start_errors = {unavailable("the API server is away")};
  start();
  const JobId id = submit_with(1);
  const domain::Job done = advance_to_end(id);
  EXPECT_EQ(done.state.status, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kStartFailed);
  EXPECT_EQ(done.state.error, "the API server is away");
}

TEST_F(AttemptsTest, AStartThatCanNeverSucceedIsTheJobsOwnFailure) {
  fake_->start_errors = {invalid("there is no such program")};
  start();
  const JobId id = submit_with(3);
  const domain::Job done = wait_for(id, JobStatus::kFailed);
  EXPECT_EQ(done.state.error, "there is no such program");
}

TEST_F(AttemptsTest, AStartThatHangsIsCalledAgainAndFindsTheRun) {
  options_.start_limit = absl::Seconds(30);
  fake_->hold_starts = true;
  start();
  const JobId id = submit_with(1);
  wait_until([&] { return fake_->start_calls == 1; });
  fake_->hold_starts = false;
  const domain::Job running = advance_to(id, JobStatus::kRunning, absl::Seconds(5));
  EXPECT_EQ(running.state.attempt, 1);
  fake_->release_starts();
  settle();
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(AttemptsTest, AStartThatMustNotBeRepeatedAndHangsIsUnknown) {
  options_.start_limit = absl::Seconds(30);
  fake_->edit_traits().restartable_start = false;
  fake_->hold_starts = true;
  start();
  const JobId id = submit_with(3);
  wait_until([&] { return fake_->start_calls == 1; });
  const domain::Job done = advance_to_end(id, absl::Seconds(5));
  EXPECT_EQ(done.state.status, JobStatus::kKilled);
  EXPECT_EQ(done.state.reason, EndReason::kStartUnknown);
  EXPECT_EQ(fake_->start_calls, 1);
}

TEST_F(AttemptsTest, AnObservationThatFailsChangesNothing) {
  start();
  const JobId id = submit_with(1);
  wait_for(id, JobStatus::kRunning);
  fake_->observe_error = unavailable("no connection");
  for (int i = 0; i < 20; ++i) advance(absl::Seconds(10));
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
  fake_->observe_error.reset();
  fake_->find(id)->now.phase = RunPhase::kSucceeded;
  advance_to(id, JobStatus::kSucceeded);
}

}  // namespace
}  // namespace waybill::engine
