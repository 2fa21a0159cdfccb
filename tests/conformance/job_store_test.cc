#include <boost/json.hpp>

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using domain::JobStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JobStoreTest : public DatabaseTest {
 protected:
  ports::IdempotencyKey key(const std::string& hash = "h1") {
    return {
        .caller = "ann", .key = "k", .endpoint = "POST /job", .request_hash = hash, .keep = absl::Hours(24)};
  }
  absl::StatusOr<ports::Inserted> insert_with(domain::Job job, std::optional<ports::IdempotencyKey> with,
                                              int queued = 0) {
    ports::NewJob fresh{std::move(job), {"ann", "a"}};
    return wait(jobs().insert(std::move(fresh), std::move(with), queued));
  }
  domain::Job get(const JobId& id) { return *wait(jobs().get(id)); }
};
WB_EVERY_BACKEND(JobStoreTest);

TEST_P(JobStoreTest, KeepsEveryMemberOfAJob) {
  domain::Job job = some_job("Ümlaut 'x\" \\ \n");
  job.spec.description = "text";
  job.spec.tags = {"a:1", "b:\"2\""};
  job.spec.command_criteria = std::vector<std::string>{"type:ping"};
  job.spec.cluster_criteria = std::vector<std::string>{};
  job.spec.store_result_sync = true;
  job.spec.queue = "slow";
  job.spec.priority = -7;
  job.spec.timeout = absl::Milliseconds(1500);
  job.spec.max_attempts = 3;
  job.spec.idempotency_key = "k";
  job.spec.rerun_of = JobId("before");
  job.route.host_local = true;
  job.route.command_revision = "c1";
  job.route.cluster_revision = "c2";
  job.attributes["Logs"] = {domain::AttributeKind::kLink, domain::AttributeShow::kFailed, "https://x/", 3};
  job.attribute_errors["Other"] = "key \"x\" is missing";
  job.record_ids = {RecordId("r1")};
  insert(job);

  const domain::Job read = get(job.id);
  EXPECT_EQ(read.spec.name, job.spec.name);
  EXPECT_EQ(read.spec.description, "text");
  EXPECT_EQ(read.spec.tags, job.spec.tags);
  EXPECT_EQ(read.spec.command_criteria, job.spec.command_criteria);
  EXPECT_EQ(read.spec.cluster_criteria, job.spec.cluster_criteria);
  EXPECT_TRUE(read.spec.store_result_sync);
  EXPECT_EQ(read.spec.queue, "slow");
  EXPECT_EQ(read.spec.priority, -7);
  EXPECT_EQ(read.spec.timeout, absl::Milliseconds(1500));
  EXPECT_EQ(read.spec.max_attempts, 3);
  EXPECT_EQ(read.spec.idempotency_key, "k");
  EXPECT_EQ(read.spec.rerun_of, JobId("before"));
  EXPECT_EQ(read.route.command_id, CommandId("ping-id"));
  EXPECT_EQ(read.route.cluster_name, "local");
  EXPECT_TRUE(read.route.host_local);
  EXPECT_EQ(read.route.command_revision, "c1");
  EXPECT_EQ(read.route.cluster_revision, "c2");
  EXPECT_EQ(read.attributes, job.attributes);
  EXPECT_EQ(read.attribute_errors, job.attribute_errors);
  EXPECT_EQ(read.record_ids, job.record_ids);
  EXPECT_EQ(read.state.status, JobStatus::kNew);
  EXPECT_EQ(read.state.started_at, absl::InfinitePast());
  EXPECT_EQ(read.created_at, read.updated_at);
  EXPECT_FALSE(read.has_result);
}

TEST_P(JobStoreTest, ContextsKeepTheKindsOfTheirNumbers) {
  domain::Job job = some_job();
  boost::json::object context;
  context["double"] = 3.0;
  context["int"] = 3;
  context["big"] = std::uint64_t{18446744073709551615U};
  context["tiny"] = 1e-300;
  context["z"] = boost::json::array{nullptr, true, "x"};
  context["a"] = boost::json::object();
  job.spec.context = context;
  insert(job);

  const domain::Job read = get(job.id);
  ASSERT_TRUE(read.spec.context.has_value());
  EXPECT_EQ(*read.spec.context, context);
  EXPECT_TRUE(read.spec.context->at("double").is_double());
  EXPECT_TRUE(read.spec.context->at("int").is_int64());
  EXPECT_EQ(read.spec.context->begin()->key(), "double") << "the order of members was lost";
}

TEST_P(JobStoreTest, AContextThatWasNotSentIsNotAnEmptyOne) {
  const domain::Job none = insert("none");
  domain::Job job = some_job("empty");
  job.spec.context = boost::json::object();
  insert(job);
  EXPECT_FALSE(get(none.id).spec.context.has_value());
  EXPECT_TRUE(get(job.id).spec.context.has_value());
  EXPECT_FALSE(get(none.id).spec.command_criteria.has_value());
}

TEST_P(JobStoreTest, AnUnknownJobIsNotFound) {
  EXPECT_THAT(wait(jobs().get(JobId("nope"))), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(apply(some_job(), {}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(wait(jobs().result_info(JobId("nope"))), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(wait(jobs().kept_outputs(JobId("nope"))), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(wait(jobs().place_in_queue(JobId("nope"))), StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(JobStoreTest, AWriteWithAnOldEpochOrStatusIsAborted) {
  insert();
  const domain::Job claimed = claim_one("a");
  domain::Job stale = claimed;
  stale.state.epoch = 0;
  EXPECT_THAT(apply(stale, running(stale)), StatusIs(absl::StatusCode::kAborted));
  ASSERT_THAT(apply(claimed, running(claimed)), IsOk());
  EXPECT_THAT(apply(claimed, running(claimed)), StatusIs(absl::StatusCode::kAborted));
}

TEST_P(JobStoreTest, AWriteStoresStateSideRowsAndItsEventTogether) {
  insert();
  const domain::Job claimed = claim_one("a");
  const absl::StatusOr<domain::Job> started = apply(claimed, running(claimed, "pid 7"));
  ASSERT_THAT(started, IsOk());
  advance(absl::Seconds(2));
  ports::JobWrite write;
  write.id = claimed.id;
  write.expected_status = JobStatus::kRunning;
  write.expected_epoch = claimed.state.epoch;
  write.state = ended(*started, JobStatus::kFailed, "exit 3");
  write.attributes = domain::Attributes{{"Logs", {domain::AttributeKind::kText, {}, "x", 0}}};
  write.attribute_errors = domain::AttributeErrors{{"UI", "missing"}};
  write.kept_outputs = domain::Outputs{{"app", "a-1"}};
  write.result_info = boost::json::object{{"rows", 3}};
  write.note = {"waybill", "a"};
  const auto written = wait(jobs().write(write));
  ASSERT_THAT(written, IsOk());

  const domain::Job job = get(claimed.id);
  EXPECT_EQ(job.state.status, JobStatus::kFailed);
  EXPECT_EQ(job.state.error, "exit 3");
  EXPECT_EQ(job.state.handle, "pid 7");
  EXPECT_TRUE(job.has_result);
  EXPECT_EQ(job.attributes.at("Logs").value, "x");
  EXPECT_EQ(job.attribute_errors.at("UI"), "missing");
  EXPECT_EQ(written->state.finished_at, job.state.finished_at);
  const auto outputs = wait(jobs().kept_outputs(job.id));
  ASSERT_THAT(outputs, IsOk());
  EXPECT_EQ(outputs->at("app"), "a-1");
  const auto info = wait(jobs().result_info(job.id));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(boost::json::serialize(**info), R"({"rows":3})");

  const auto attempts = wait(jobs().attempts(job.id));
  ASSERT_THAT(attempts, IsOk());
  ASSERT_THAT(*attempts, SizeIs(1));
  EXPECT_EQ(attempts->front().handle, "pid 7");
  EXPECT_EQ(attempts->front().status, JobStatus::kFailed);
  EXPECT_EQ(attempts->front().error, "exit 3");
  EXPECT_EQ(attempts->front().finished_at - attempts->front().started_at, absl::Seconds(2));

  const auto steps = wait(jobs().transitions(job.id));
  ASSERT_THAT(steps, IsOk());
  ASSERT_THAT(*steps, SizeIs(4));
  EXPECT_FALSE((*steps)[0].from.has_value());
  EXPECT_EQ((*steps)[0].actor, "ann");
  EXPECT_EQ((*steps)[1].to, JobStatus::kAccepted);
  EXPECT_EQ((*steps)[3].from, JobStatus::kRunning);
  EXPECT_EQ((*steps)[3].to, JobStatus::kFailed);
  EXPECT_EQ((*steps)[3].instance, "a");
}

TEST_P(JobStoreTest, AWriteThatKeepsTheStatusWritesNoEventAndLeavesWhatItDoesNotName) {
  domain::Job job = some_job();
  job.attributes["A"] = {domain::AttributeKind::kText, {}, "old", 0};
  insert(job);
  const domain::Job claimed = claim_one("a");
  domain::JobState adopted = claimed.state;
  adopted.owner = InstanceId("b");
  adopted.epoch += 1;
  ASSERT_THAT(apply(claimed, adopted), IsOk());
  EXPECT_EQ(get(job.id).attributes.at("A").value, "old");
  EXPECT_EQ(get(job.id).state.owner, InstanceId("b"));
  EXPECT_THAT(*wait(jobs().transitions(job.id)), SizeIs(2));
}

TEST_P(JobStoreTest, ARequeueEndsTheAttemptBefore) {
  insert();
  const domain::Job claimed = claim_one("a");
  const auto started = apply(claimed, running(claimed, "pod-1"));
  ASSERT_THAT(started, IsOk());
  domain::JobState again = started->state;
  again.status = JobStatus::kNew;
  again.attempt = 2;
  again.owner = {};
  again.handle = "";
  again.started_at = absl::InfinitePast();
  again.reason = domain::EndReason::kNodeGone;
  ASSERT_THAT(apply(*started, again), IsOk());
  const auto attempts = wait(jobs().attempts(claimed.id));
  ASSERT_THAT(attempts, IsOk());
  ASSERT_THAT(*attempts, SizeIs(1));
  EXPECT_EQ(attempts->front().number, 1);
  EXPECT_EQ(attempts->front().handle, "pod-1");
  EXPECT_EQ(attempts->front().status, JobStatus::kKilled);
  EXPECT_EQ(attempts->front().reason, domain::EndReason::kNodeGone);
  EXPECT_NE(attempts->front().finished_at, absl::InfinitePast());
}

TEST_P(JobStoreTest, TheSameKeyAnswersTheFirstJob) {
  const auto first = insert_with(some_job("one"), key());
  ASSERT_THAT(first, IsOk());
  EXPECT_TRUE(first->is_new);
  const auto again = insert_with(some_job("two"), key());
  ASSERT_THAT(again, IsOk());
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->job.id, first->job.id);
  EXPECT_THAT(claim("a"), SizeIs(1));
}

TEST_P(JobStoreTest, AKeyIsForOneRequestOfOneCaller) {
  ASSERT_THAT(insert_with(some_job(), key()), IsOk());
  const auto other = insert_with(some_job(), key("h2"));
  EXPECT_THAT(other, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(error_word(other.status()), "idempotency_conflict");
  ports::IdempotencyKey bulk = key();
  bulk.endpoint = "POST /jobs";
  EXPECT_THAT(insert_with(some_job(), bulk), StatusIs(absl::StatusCode::kFailedPrecondition));
  ports::IdempotencyKey bobs = key("h2");
  bobs.caller = "bob";
  const auto bob = insert_with(some_job(), bobs);
  ASSERT_THAT(bob, IsOk());
  EXPECT_TRUE(bob->is_new);
}

TEST_P(JobStoreTest, AKeyTellsWhatItMade) {
  const auto unknown = wait(jobs().made_by(key()));
  ASSERT_THAT(unknown, IsOk());
  EXPECT_THAT(*unknown, IsEmpty());
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 3; ++i) batch.push_back({some_job("b" + std::to_string(i)), {"ann", "a"}});
  ASSERT_THAT(wait(jobs().insert_all(batch, false, key(), 0)), IsOk());
  const auto made = wait(jobs().made_by(key()));
  ASSERT_THAT(made, IsOk());
  ASSERT_THAT(*made, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_THAT((*made)[i], IsOk());
    EXPECT_EQ((*made)[i]->id, batch[i].job.id);
  }
  EXPECT_EQ(error_word(wait(jobs().made_by(key("h2"))).status()), "idempotency_conflict");
  ports::IdempotencyKey bobs = key();
  bobs.caller = "bob";
  EXPECT_THAT(*wait(jobs().made_by(bobs)), IsEmpty());
}

TEST_P(JobStoreTest, AKeyRunsOut) {
  ASSERT_THAT(insert_with(some_job(), key()), IsOk());
  advance(absl::Hours(25));
  const auto later = insert_with(some_job(), key("h2"));
  ASSERT_THAT(later, IsOk());
  EXPECT_TRUE(later->is_new);
  ASSERT_THAT(wait(jobs().expire_idempotency_keys()), IsOk());
  EXPECT_FALSE(insert_with(some_job(), key("h2"))->is_new) << "only old keys are removed";
}

TEST_P(JobStoreTest, QueuedPerUserCountsWaitingJobsOfThatUser) {
  ASSERT_THAT(insert_with(some_job(), std::nullopt, 2), IsOk());
  ASSERT_THAT(insert_with(some_job(), key(), 2), IsOk());
  EXPECT_THAT(insert_with(some_job(), std::nullopt, 2), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(insert_with(some_job(), key(), 2), IsOk()) << "a repeat is no new job";
  domain::Job other = some_job();
  other.spec.user = "bob";
  EXPECT_THAT(insert_with(other, std::nullopt, 2), IsOk());
  claim_one("a");
  EXPECT_THAT(insert_with(some_job(), std::nullopt, 2), IsOk());
}

TEST_P(JobStoreTest, ABulkInsertAnswersPerJobInOrder) {
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 3; ++i) batch.push_back({some_job("bulk-" + std::to_string(i)), {"ann", "a"}});
  batch[1].job.spec.name = std::string("bad\0name", 8);
  const auto answers = wait(jobs().insert_all(batch, false, std::nullopt, 0));
  ASSERT_THAT(answers, IsOk());
  ASSERT_THAT(*answers, SizeIs(3));
  EXPECT_THAT((*answers)[0], IsOk());
  EXPECT_THAT((*answers)[1], StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ((*answers)[2]->job.spec.name, "bulk-2");
  EXPECT_THAT(claim("a"), SizeIs(2));
}

TEST_P(JobStoreTest, AnAtomicBulkInsertStoresAllOrNone) {
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 3; ++i) batch.push_back({some_job(), {"ann", "a"}});
  const auto refused = wait(jobs().insert_all(batch, true, std::nullopt, 2));
  ASSERT_THAT(refused, IsOk());
  EXPECT_THAT((*refused)[0], StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT((*refused)[2], StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(claim("a"), IsEmpty());
  EXPECT_THAT(wait(jobs().insert_all(batch, true, std::nullopt, 3)), IsOk());
  EXPECT_THAT(claim("a"), SizeIs(3));
}

TEST_P(JobStoreTest, ABulkKeyAnswersAllItsJobs) {
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 3; ++i) batch.push_back({some_job("b" + std::to_string(i)), {"ann", "a"}});
  ASSERT_THAT(wait(jobs().insert_all(batch, false, key(), 0)), IsOk());
  std::vector<ports::NewJob> repeat;
  for (int i = 0; i < 3; ++i) repeat.push_back({some_job("b" + std::to_string(i)), {"ann", "a"}});
  const auto again = wait(jobs().insert_all(repeat, false, key(), 0));
  ASSERT_THAT(again, IsOk());
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_THAT((*again)[i], IsOk());
    EXPECT_FALSE((*again)[i]->is_new);
    EXPECT_EQ((*again)[i]->job.id, batch[i].job.id);
  }
}

TEST_P(JobStoreTest, AJobWithATakenIdFailsAlone) {
  const domain::Job first = insert("first");
  domain::Job twin = some_job("twin");
  twin.id = first.id;
  EXPECT_THAT(insert_with(twin, std::nullopt), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(get(first.id).spec.name, "first");
}

TEST_P(JobStoreTest, RetentionRemovesOldFinalJobsWithTheirSideRowsAndLeavesTombstones) {
  domain::Job tagged = some_job("old");
  tagged.spec.tags = {"t:1"};
  insert(tagged);
  const domain::Job claimed = claim_one("a");
  const auto started = apply(claimed, running(claimed));
  ASSERT_THAT(started, IsOk());
  ports::JobWrite end;
  end.id = started->id;
  end.expected_status = started->state.status;
  end.expected_epoch = started->state.epoch;
  end.state = ended(*started, JobStatus::kSucceeded);
  end.result_info = boost::json::object{{"rows", 1}};
  end.kept_outputs = domain::Outputs{{"url", "x"}};
  ASSERT_THAT(wait(jobs().write(std::move(end))), IsOk());
  const char* side_rows =
      "select (select count(*) from job_tags) + (select count(*) from job_attempts) + (select count(*) from "
      "job_results) + (select count(*) from job_outputs)";
  EXPECT_EQ(sql(side_rows), "4\n");
  insert("waiting");
  advance(absl::Hours(48));
  const domain::Job fresh = insert("new");
  const absl::Time before = clock_.now() - absl::Hours(24);

  const auto removed = wait(jobs().expire(before, 10));
  ASSERT_THAT(removed, IsOk());
  EXPECT_THAT(*removed, ElementsAre(tagged.id));
  EXPECT_THAT(wait(jobs().get(tagged.id)), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(sql(side_rows), "0\n");
  EXPECT_THAT(claim("a"), SizeIs(2)) << "a job that isn't final was removed";
  EXPECT_THAT(*wait(jobs().tombstones(10)), ElementsAre(tagged.id));
  EXPECT_THAT(*wait(jobs().unknown_of({tagged.id, fresh.id, JobId("x")})),
              ElementsAre(tagged.id, JobId("x")));
  ASSERT_THAT(wait(jobs().forget({tagged.id})), IsOk());
  EXPECT_THAT(*wait(jobs().tombstones(10)), IsEmpty());
}

TEST_P(JobStoreTest, AKeyOutlivesItsJob) {
  ASSERT_THAT(insert_with(some_job(), key()), IsOk());
  const domain::Job claimed = claim_one("a");
  ASSERT_THAT(apply(claimed, ended(claimed, JobStatus::kSucceeded)), IsOk());
  advance(absl::Hours(1));
  ASSERT_THAT(*wait(jobs().expire(clock_.now(), 10)), SizeIs(1));
  EXPECT_EQ(error_word(insert_with(some_job(), key()).status()), "job_expired") << "never a second run";
  const auto made = wait(jobs().made_by(key()));
  ASSERT_THAT(made, IsOk());
  ASSERT_THAT(*made, SizeIs(1));
  EXPECT_EQ(error_word(made->front().status()), "job_expired");
  EXPECT_THAT(message(made->front().status()), ::testing::HasSubstr(claimed.id.str()));
}

TEST_P(JobStoreTest, WhatWasAcceptedIsThereAfterAReopen) {
  const domain::Job job = insert("kept");
  close();
  storage_ = open();
  EXPECT_EQ(get(job.id).spec.name, "kept");
}

}  // namespace
}  // namespace waybill::testing
