#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using domain::JobStatus;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StatsTest : public DatabaseTest {
 protected:
  void SetUp() override {
    // A whole hour, so that each test's hours are its own.
    advance(absl::Hours(1) - (clock_.now() - absl::UnixEpoch()) % absl::Hours(1));
    start_ = clock_.now();
  }
  void finish(const std::string& user, absl::Duration duration, JobStatus status = JobStatus::kSucceeded) {
    domain::Job job = some_job();
    job.spec.user = user;
    insert(job);
    const domain::Job claimed = claim_one("a");
    domain::JobState state = ended(claimed, status);
    state.started_at = clock_.now() - duration;
    ASSERT_THAT(apply(claimed, state), IsOk());
  }
  std::vector<ports::StatsBucket> stats(ports::JobStatsRequest request) {
    auto answer = wait(db().stats().job_stats(std::move(request)));
    EXPECT_THAT(answer, IsOk());
    return answer.ok() ? *std::move(answer) : std::vector<ports::StatsBucket>();
  }
  ports::JobStatsRequest hours(int count) {
    return {.from = start_,
            .to = start_ + absl::Hours(count),
            .bucket = absl::Hours(1),
            .user = {},
            .command = {},
            .cluster = {},
            .statuses = {}};
  }
  static void expect_near(const std::optional<absl::Duration>& got, absl::Duration wanted) {
    ASSERT_TRUE(got.has_value());
    EXPECT_LE(absl::AbsDuration(*got - wanted), wanted * 0.1) << absl::FormatDuration(*got);
  }

  absl::Time start_;
};
WB_EVERY_BACKEND(StatsTest);

TEST_P(StatsTest, CountsByStatusAndHour) {
  finish("ann", absl::Seconds(1));
  finish("ann", absl::Seconds(1), JobStatus::kFailed);
  advance(absl::Hours(2));
  finish("ann", absl::Seconds(1));
  const auto buckets = stats(hours(24));
  ASSERT_THAT(buckets, SizeIs(2));
  EXPECT_EQ(buckets[0].start, start_);
  EXPECT_EQ(buckets[0].counts.at(JobStatus::kSucceeded), 1);
  EXPECT_EQ(buckets[0].counts.at(JobStatus::kFailed), 1);
  EXPECT_EQ(buckets[1].start, start_ + absl::Hours(2));
  EXPECT_THAT(stats(hours(2)), SizeIs(1)) << "the end is not included";
}

TEST_P(StatsTest, LargerBucketsAddHoursUp) {
  finish("ann", absl::Seconds(1));
  advance(absl::Hours(5));
  finish("ann", absl::Seconds(1));
  ports::JobStatsRequest day = hours(24);
  day.bucket = absl::Hours(24);
  const auto buckets = stats(day);
  ASSERT_THAT(buckets, SizeIs(1));
  EXPECT_EQ(buckets[0].counts.at(JobStatus::kSucceeded), 2);
  day.bucket = absl::Minutes(30);
  EXPECT_THAT(wait(db().stats().job_stats(day)), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(StatsTest, QuantilesAreWithinTenPercent) {
  for (int i = 1; i <= 20; ++i) finish("ann", absl::Seconds(i * 10));  // 10 s … 200 s
  const auto buckets = stats(hours(1));
  ASSERT_THAT(buckets, SizeIs(1));
  expect_near(buckets[0].p50, absl::Seconds(100));
  expect_near(buckets[0].p95, absl::Seconds(190));
}

TEST_P(StatsTest, FiltersByUserCommandClusterAndStatus) {
  finish("ann", absl::Seconds(1));
  finish("bob", absl::Seconds(100), JobStatus::kFailed);
  ports::JobStatsRequest request = hours(1);
  request.user = "bob";
  ASSERT_THAT(stats(request), SizeIs(1));
  EXPECT_EQ(stats(request)[0].counts.count(JobStatus::kSucceeded), 0U);
  expect_near(stats(request)[0].p50, absl::Seconds(100));
  request.user.reset();
  request.statuses = {JobStatus::kSucceeded};
  expect_near(stats(request)[0].p50, absl::Seconds(1));
  request.command = "nope";
  EXPECT_THAT(stats(request), IsEmpty());
  request.command = "ping";
  request.cluster = "local";
  EXPECT_THAT(stats(request), SizeIs(1));
}

TEST_P(StatsTest, AJobThatNeverStartedCountsWithoutADuration) {
  const domain::Job job = insert();
  domain::JobState state = job.state;
  state.status = JobStatus::kCanceled;
  state.finished_at = clock_.now();
  ASSERT_THAT(apply(job, state), IsOk());
  const auto buckets = stats(hours(1));
  ASSERT_THAT(buckets, SizeIs(1));
  EXPECT_EQ(buckets[0].counts.at(JobStatus::kCanceled), 1);
  EXPECT_FALSE(buckets[0].p50.has_value());
}

TEST_P(StatsTest, LiveJobsAreCountedByStatus) {
  for (int i = 0; i < 3; ++i) insert();
  const domain::Job claimed = claim_one("a");
  ASSERT_THAT(apply(claimed, running(claimed)), IsOk());
  claim_one("a");
  const auto live = wait(db().stats().live_jobs());
  ASSERT_THAT(live, IsOk());
  EXPECT_EQ(live->at(JobStatus::kNew), 1);
  EXPECT_EQ(live->at(JobStatus::kAccepted), 1);
  EXPECT_EQ(live->at(JobStatus::kRunning), 1);
  EXPECT_EQ(live->at(JobStatus::kCanceling), 0);
}

}  // namespace
}  // namespace waybill::testing
