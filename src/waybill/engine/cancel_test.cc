#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// Cancel, in every state.
namespace waybill::engine {
namespace {

using domain::JobStatus;
using ports::RunPhase;
using ::testing::ElementsAre;

class CancelTest : public EngineTest {
 protected:
  absl::StatusOr<domain::Job> cancel(const JobId& id, domain::Caller by = caller()) {
    return run(engine().canceler().cancel(id, std::move(by)));
  }
};

TEST_F(CancelTest, ANewJobIsCanceledAtOnce) {
  options_.roles = {"api"};
  start();
  const JobId id = submit();
  const auto canceled = cancel(id);
  ASSERT_TRUE(canceled.ok()) << canceled.status();
  EXPECT_EQ(canceled->state.status, JobStatus::kCanceled);
  EXPECT_EQ(canceled->state.canceled_by, "alice");
  EXPECT_THAT(history(id), ElementsAre("NEW", "CANCELED"));
}

TEST_F(CancelTest, AJobThatWaitsHereForItsStartIsCanceledAndNeverStarted) {
  options_.pool_size = 1;
  fake_->hold_starts = true;
  start();
  const JobId first = submit();
  const JobId second = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  wait_for(second, JobStatus::kAccepted);
  const auto canceled = cancel(second);
  ASSERT_TRUE(canceled.ok());
  EXPECT_EQ(canceled->state.status, JobStatus::kCanceled);
  fake_->release_starts();
  wait_for(first, JobStatus::kRunning);
  settle();
  EXPECT_EQ(fake_->runs_of(second), 0);
}

TEST_F(CancelTest, CancelWhileStartingStopsTheRun) {
  fake_->hold_starts = true;
  start();
  const JobId id = submit();
  wait_until([&] { return fake_->start_calls == 1; });
  const auto canceled = cancel(id);
  ASSERT_TRUE(canceled.ok());
  EXPECT_EQ(canceled->state.status, JobStatus::kCanceling);
  fake_->release_starts();
  const domain::Job done = wait_for(id, JobStatus::kCanceled);
  EXPECT_EQ(done.state.handle, id.str() + "/1");
  EXPECT_EQ(fake_->find(id)->now.phase, RunPhase::kFailed);
  EXPECT_GE(fake_->find(id)->cancels, 1);
}

TEST_F(CancelTest, ARunningJobIsToldAtOnceAndAgainUntilItIsGone) {
  fake_->obeys_cancel = false;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  const auto canceled = cancel(id);
  ASSERT_TRUE(canceled.ok());
  EXPECT_EQ(canceled->state.status, JobStatus::kCanceling);
  wait_until([&] { return fake_->find(id)->cancels >= 1; }, "the cancel");  // the clock stands still
  for (int i = 0; i < 5; ++i) advance(absl::Seconds(1));
  EXPECT_GE(fake_->find(id)->cancels, 3);
  EXPECT_EQ(job(id).state.status, JobStatus::kCanceling);
  fake_->find(id)->exists = false;
  const domain::Job done = advance_to(id, JobStatus::kCanceled);
  EXPECT_EQ(done.state.canceled_by, "alice");
  EXPECT_EQ(done.state.error, "");
}

TEST_F(CancelTest, AnExecutorThatRefusesACancelIsAskedAgain) {
  fake_->cancel_error = unavailable("not now");
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  ASSERT_TRUE(cancel(id).ok());
  for (int i = 0; i < 4; ++i) advance(absl::Seconds(1));
  EXPECT_EQ(job(id).state.status, JobStatus::kCanceling);
  fake_->cancel_error.reset();
  advance_to(id, JobStatus::kCanceled);
}

TEST_F(CancelTest, ASuccessWhileCancelingIsASuccess) {
  fake_->obeys_cancel = false;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  ASSERT_TRUE(cancel(id).ok());
  end_run(id);
  const domain::Job done = advance_to_end(id);
  EXPECT_EQ(done.state.status, JobStatus::kSucceeded);
  EXPECT_EQ(done.state.canceled_by, "alice");
}

TEST_F(CancelTest, CancelingAgainIsAnsweredLikeTheFirstTime) {
  fake_->obeys_cancel = false;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  ASSERT_TRUE(cancel(id).ok());
  const auto again = cancel(id);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->state.status, JobStatus::kCanceling);
}

TEST_F(CancelTest, AFinalJobAndAnUnknownOneAreRefused) {
  fake_->ends_at_start = true;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kSucceeded);
  const auto late = cancel(id);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(error_word(late.status()), "already_final");
  EXPECT_EQ(cancel(JobId("00000000-0000-7000-8000-000000000000")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(CancelTest, OnlyTheOwnerOrAnAdminMay) {
  start();
  const JobId id = submit();
  EXPECT_EQ(cancel(id, caller("bob")).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(cancel(id, caller("root", true)).ok());
}

TEST_F(CancelTest, ACancelThroughAnotherInstanceReachesTheOwner) {
  start("a");
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  options_.roles = {"api"};
  start("b", "host-b");
  ASSERT_TRUE(cancel(id).ok());  // at b
  wait_for(id, JobStatus::kCanceled);
  EXPECT_GE(fake_->find(id)->cancels, 1);
}

TEST_F(CancelTest, ACancelAtAnotherInstanceBeforeTheStartNeverStartsIt) {
  options_.pool_size = 1;
  fake_->hold_starts = true;
  start("a");
  const JobId first = submit();
  const JobId second = submit();
  wait_for(second, JobStatus::kAccepted);
  options_.roles = {"api"};
  start("b", "host-b");
  const auto canceled = cancel(second);
  ASSERT_TRUE(canceled.ok());
  EXPECT_EQ(canceled->state.status, JobStatus::kCanceling);  // b can't know that a has not started it
  wait_for(second, JobStatus::kCanceled);
  EXPECT_EQ(fake_->runs_of(second), 0);
  fake_->release_starts();
  wait_for(first, JobStatus::kRunning);
}

TEST_F(CancelTest, ManyAtOnceAreAnsweredOneByOne) {
  start();
  const JobId mine = submit();
  const JobId other = submit(spec(), caller("bob"));
  wait_for(mine, JobStatus::kRunning);
  wait_for(other, JobStatus::kRunning);
  std::vector<JobId> ids = {mine, other, JobId("00000000-0000-7000-8000-000000000000")};
  const auto answers = run(engine().canceler().cancel_all(ids, caller()));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[0].second.ok());
  EXPECT_EQ(answers[1].second.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(answers[2].second.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CancelTest, AFilterTakesTheCallersLiveJobsOnly) {
  options_.roles = {"api"};
  start();
  const JobId mine = submit(spec("x"));
  const JobId other_name = submit(spec("y"));
  const JobId not_mine = submit(spec("x"), caller("bob"));
  ports::JobFilter filter;
  filter.name = "x";
  const auto answers = run(engine().canceler().cancel_matching(filter, caller()));
  ASSERT_TRUE(answers.ok());
  ASSERT_EQ(answers->size(), 1U);
  EXPECT_EQ((*answers)[0].first, mine);
  EXPECT_EQ(job(other_name).state.status, JobStatus::kNew);
  EXPECT_EQ(job(not_mine).state.status, JobStatus::kNew);
}

}  // namespace
}  // namespace waybill::engine
