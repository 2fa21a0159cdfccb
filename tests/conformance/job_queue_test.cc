#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using domain::JobStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> names(const std::vector<domain::Job>& jobs) {
  std::vector<std::string> out;
  for (const domain::Job& job : jobs) out.push_back(job.spec.name);
  return out;
}

// Claims and leases.
class JobQueueTest : public DatabaseTest {
 protected:
  domain::Job get(const JobId& id) { return *wait(jobs().get(id)); }
  ports::ClaimRequest request(const std::string& by, int places, int per_user) {
    return {.by = InstanceId(by),
            .host = "host-" + by,
            .host_local = places,
            .remote = places,
            .running_per_user = per_user,
            .note = {"waybill", by}};
  }
};
WB_EVERY_BACKEND(JobQueueTest);

TEST_P(JobQueueTest, ClaimsInTheOrderOfPriorityThenTime) {
  insert("first");
  advance(absl::Seconds(1));
  domain::Job urgent = some_job("urgent");
  urgent.spec.priority = 5;
  insert(urgent);
  domain::Job low = some_job("low");
  low.spec.priority = -1;
  insert(low);
  insert("second");
  EXPECT_THAT(names(claim("a", 2)), ElementsAre("urgent", "first"));
  EXPECT_THAT(names(claim("b", 100)), ElementsAre("second", "low"));
  EXPECT_THAT(claim("a"), IsEmpty());
}

TEST_P(JobQueueTest, AClaimedJobIsAcceptedLeasedAndRaisedInEpoch) {
  const domain::Job job = insert();
  const domain::Job claimed = claim_one("b");
  EXPECT_EQ(claimed.id, job.id);
  EXPECT_EQ(claimed.state.status, JobStatus::kAccepted);
  EXPECT_EQ(claimed.state.owner, InstanceId("b"));
  EXPECT_EQ(claimed.state.epoch, 1);
  EXPECT_EQ(claimed.state.host, "") << "only host-local jobs have a host";
}

TEST_P(JobQueueTest, HostLocalAndRemotePlacesAreCountedApart) {
  for (int i = 0; i < 3; ++i) {
    domain::Job local = some_job("local");
    local.route.host_local = true;
    insert(local);
    insert("remote");
  }
  ports::ClaimRequest one = request("a", 0, 0);
  one.host_local = 2;
  one.remote = 1;
  const auto claimed = wait(jobs().claim(one));
  ASSERT_THAT(claimed, IsOk());
  EXPECT_THAT(names(*claimed), ElementsAre("local", "local", "remote"));
  EXPECT_EQ(claimed->front().state.host, "host-a");
}

TEST_P(JobQueueTest, RunningPerUserHoldsWithinABatchAndBlocksNobodyElse) {
  for (int i = 0; i < 20; ++i) insert("ann's");
  advance(absl::Seconds(1));
  domain::Job other = some_job("bob's");
  other.spec.user = "bob";
  insert(other);
  const auto first = wait(jobs().claim(request("a", 5, 2)));
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(names(*first), ElementsAre("ann's", "ann's", "bob's"));
  const auto second = wait(jobs().claim(request("b", 5, 2)));
  ASSERT_THAT(second, IsOk());
  EXPECT_THAT(*second, IsEmpty()) << "the limit counts over all instances";
  ASSERT_THAT(apply(first->front(), ended(first->front(), JobStatus::kSucceeded)), IsOk());
  const auto third = wait(jobs().claim(request("b", 5, 2)));
  ASSERT_THAT(third, IsOk());
  EXPECT_THAT(names(*third), ElementsAre("ann's"));
}

TEST_P(JobQueueTest, AJobThatMustWaitIsClaimedWhenItIsDue) {
  const domain::Job job = insert();
  const domain::Job claimed = claim_one("a");
  domain::JobState again = claimed.state;
  again.status = JobStatus::kNew;
  again.owner = {};
  again.attempt = 2;
  again.reason = domain::EndReason::kLost;
  again.not_before = clock_.now() + absl::Seconds(30);
  ASSERT_THAT(apply(claimed, again), IsOk());
  EXPECT_THAT(claim("a"), IsEmpty());
  const auto due = wait(jobs().next_due());
  ASSERT_THAT(due, IsOk());
  ASSERT_TRUE(due->has_value());
  EXPECT_LE(absl::AbsDuration(**due - (clock_.now() + absl::Seconds(30))), absl::Seconds(10));
  advance(absl::Seconds(31));
  const domain::Job second = claim_one("b");
  EXPECT_EQ(second.id, job.id);
  EXPECT_EQ(second.state.attempt, 2);
  EXPECT_FALSE(wait(jobs().next_due())->has_value());
}

TEST_P(JobQueueTest, AnExpiredLeaseIsTakenOverOnceAndTheOldOwnerCanNoLongerWrite) {
  const auto beat = [&](const std::string& id) {
    return wait(jobs().heartbeat({.id = InstanceId(id),
                                  .host = "host-" + id,
                                  .roles = {"worker"},
                                  .version = "1",
                                  .directories = {}}));
  };
  ASSERT_THAT(beat("a"), IsOk());
  const domain::Job job = insert();
  const domain::Job first = claim_one("a");
  const absl::Duration lease = absl::Seconds(45);
  EXPECT_THAT(*wait(jobs().orphans(InstanceId("b"), "host-b", lease, 10)), IsEmpty());
  advance(lease + absl::Seconds(1));
  ASSERT_THAT(beat("b"), IsOk());
  const auto orphans = wait(jobs().orphans(InstanceId("b"), "host-b", lease, 10));
  ASSERT_THAT(orphans, IsOk());
  ASSERT_THAT(*orphans, SizeIs(1));
  domain::JobState taken = orphans->front().state;
  taken.owner = InstanceId("b");
  taken.epoch += 1;
  ASSERT_THAT(apply(orphans->front(), taken), IsOk());
  EXPECT_THAT(apply(orphans->front(), taken), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(apply(first, ended(first, JobStatus::kSucceeded)), StatusIs(absl::StatusCode::kAborted));
  const domain::Job now = get(job.id);
  EXPECT_THAT(apply(now, ended(now, JobStatus::kSucceeded)), IsOk());
  EXPECT_THAT(*wait(jobs().orphans(InstanceId("c"), "host-c", lease, 10)), IsEmpty());
}

TEST_P(JobQueueTest, InstancesAreThoseThatWereHeardOfWithinTheLease) {
  const auto beat = [&](const std::string& id, std::vector<ports::SharedDirectory> directories) {
    return wait(jobs().heartbeat({.id = InstanceId(id),
                                  .host = "host-" + id,
                                  .roles = {"api", "worker"},
                                  .version = "1",
                                  .directories = std::move(directories)}));
  };
  ASSERT_THAT(beat("gone", {}), IsOk());
  advance(absl::Seconds(46));
  ASSERT_THAT(beat("b", {{"jobs_directory", "/b/\"jobs\"", "id-b"}, {"result_directory", "/r", "id-r"}}),
              IsOk());
  ASSERT_THAT(beat("a", {{"jobs_directory", "/a", "id-a"}}), IsOk());
  ASSERT_THAT(beat("a", {}), IsOk()) << "the latest heartbeat counts";
  const auto alive = wait(jobs().instances(absl::Seconds(45)));
  ASSERT_THAT(alive, IsOk());
  ASSERT_THAT(*alive, SizeIs(2));
  EXPECT_EQ(alive->front().id, InstanceId("a"));
  EXPECT_THAT(alive->front().directories, IsEmpty());
  const ports::Instance& b = alive->back();
  EXPECT_EQ(b.host, "host-b");
  EXPECT_THAT(b.roles, ElementsAre("api", "worker"));
  ASSERT_THAT(b.directories, SizeIs(2));
  EXPECT_EQ(b.directories[0].path, "/b/\"jobs\"");
  EXPECT_EQ(b.directories[1].setting, "result_directory");
  EXPECT_EQ(b.directories[1].id, "id-r");
}

TEST_P(JobQueueTest, HostLocalOrphansAreShownToTheirHostAndAreLostAfterAWhile) {
  domain::Job local = some_job();
  local.route.host_local = true;
  insert(local);
  ASSERT_THAT(wait(jobs().heartbeat(
                  {.id = InstanceId("a"), .host = "host-a", .roles = {}, .version = "", .directories = {}})),
              IsOk());
  claim_one("a");
  advance(absl::Seconds(60));
  const absl::Duration lease = absl::Seconds(45);
  EXPECT_THAT(*wait(jobs().orphans(InstanceId("b"), "host-b", lease, 10)), IsEmpty());
  EXPECT_THAT(*wait(jobs().orphans(InstanceId("a2"), "host-a", lease, 10)), SizeIs(1));
  EXPECT_THAT(*wait(jobs().lost_hosts("host-b", absl::Minutes(15), 10)), IsEmpty());
  advance(absl::Minutes(15));
  EXPECT_THAT(*wait(jobs().lost_hosts("host-b", absl::Minutes(15), 10)), SizeIs(1));
  EXPECT_THAT(*wait(jobs().lost_hosts("host-a", absl::Minutes(15), 10)), IsEmpty());
}

TEST_P(JobQueueTest, OwnedJobsAreTheLiveOnesOfThatInstance) {
  insert("live");
  const domain::Job live = claim_one("a");
  insert("done");
  const domain::Job done = claim_one("a");
  ASSERT_THAT(apply(done, ended(done, JobStatus::kSucceeded)), IsOk());
  insert("other");
  claim_one("b");
  insert("waiting");
  EXPECT_THAT(names(*wait(jobs().owned_by(InstanceId("a")))), ElementsAre("live"));
}

TEST_P(JobQueueTest, ThePlaceInTheQueueCountsTheJobsBefore) {
  insert("first");
  advance(absl::Seconds(1));
  const domain::Job second = insert("second");
  EXPECT_EQ(*wait(jobs().place_in_queue(second.id)), 1U);
  domain::Job urgent = some_job("urgent");
  urgent.spec.priority = 1;
  insert(urgent);
  EXPECT_EQ(*wait(jobs().place_in_queue(second.id)), 2U);
  EXPECT_EQ(*wait(jobs().place_in_queue(urgent.id)), 0U);
}

}  // namespace
}  // namespace waybill::testing
