#include <boost/json.hpp>

#include "tests/conformance/record_kit.h"

namespace waybill::testing {
namespace {

using domain::KnownObject;
using domain::RecordReason;
using domain::RecordStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecordStoreTest : public RecordDatabaseTest {};
WB_EVERY_BACKEND(RecordStoreTest);

TEST_P(RecordStoreTest, WhatWasWrittenIsLoadedAsItWas) {
  KnownObject known = object("u1", 7);
  known.submission_id = "s-1";
  known.attempt_time = clock_.now();
  domain::Record& record = known.records.back();
  domain::Run& run = record.run;
  run.status = RecordStatus::kRunning;
  run.reason = RecordReason::kRunning;
  run.start_is_attempt = true;
  run.attempts = 3;
  run.error = "an older \"error\"\nof two lines, é";
  run.application_id = "spark-1";
  run.submission_id = "s-1";
  run.attempt_time = clock_.now();
  run.state = "SUCCEEDING";
  run.driver_end = clock_.now();
  run.awaits_status = true;
  run.hash = "abc";
  run.window = {.from = clock_.now(), .to = std::nullopt};
  record.attributes["Logs"] = {domain::AttributeKind::kLink, domain::AttributeShow::kAlways, "https://logs/1",
                               2};
  record.attribute_errors["Bad"] = "why";
  record.driver_pod = "app-driver";
  record.web_ui_address = "10.0.0.7:4040";
  record.output_location = "s3://out";
  record.feature_refs = {"drivers:rating"};
  record.manifest = "m1";
  auto made = batch({write_of(known, std::nullopt)});
  made.manifests["m1"] = R"({"kind":"SparkApplication"})";
  ASSERT_THAT(wait(records().write(made)), IsOk());

  run.id = RecordId("r-u1");
  const KnownObject got = load("u1");
  EXPECT_EQ(got.version, 7U);
  EXPECT_EQ(got.scope, "jobs/caraml.dev/record-id");
  EXPECT_EQ(got.submission_id, "s-1");
  EXPECT_EQ(got.attempt_time, known.attempt_time);
  ASSERT_THAT(got.records, SizeIs(1));
  EXPECT_EQ(got.newest(), run);

  const auto read = wait(reader().get(RecordId("r-u1")));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->run, run);
  EXPECT_EQ(read->attributes, record.attributes);
  EXPECT_EQ(read->attribute_errors, record.attribute_errors);
  EXPECT_EQ(read->driver_pod, "app-driver");
  EXPECT_EQ(read->web_ui_address, "10.0.0.7:4040");
  EXPECT_EQ(read->output_location, "s3://out");
  EXPECT_EQ(read->feature_refs, record.feature_refs);
  const auto manifests = wait(reader().manifests({"m1", "m2"}));
  ASSERT_THAT(manifests, IsOk());
  ASSERT_THAT(*manifests, SizeIs(1));
  EXPECT_EQ(manifests->at("m1"), boost::json::parse(R"({"kind":"SparkApplication"})"));
}

TEST_P(RecordStoreTest, AnIdThatIsTakenGetsTheNextSuffix) {
  const auto with_id = [&](const std::string& uid) {
    KnownObject known = object(uid);
    known.record_id = "same";
    return known;
  };
  EXPECT_EQ(store(with_id("u1")).newest().id, RecordId("same"));
  EXPECT_EQ(store(with_id("u2")).newest().id, RecordId("same.2"));
  // Two in one batch, after a gap that retention made.
  sql("delete from records where id = 'same'");
  const auto answer = wait(
      records().write(batch({write_of(with_id("u3"), std::nullopt), write_of(with_id("u4"), std::nullopt)})));
  ASSERT_THAT(answer, IsOk());
  std::vector<std::string> ids;
  for (const auto& [run, id] : answer->ids) ids.push_back(id.str());
  std::sort(ids.begin(), ids.end());
  EXPECT_THAT(ids, ElementsAre("same", "same.3"));
}

TEST_P(RecordStoreTest, AnotherWatchersChangeLosesNothingAndHoldsTheCursor) {
  const KnownObject first = store(object("u1", 5));
  // Two watchers decided on version 5; this one is later.
  KnownObject winner = first;
  winner.version = 8;
  end(winner.newest(), clock_.now());
  ASSERT_THAT(wait(records().write(batch({write_of(winner, 5)}))), IsOk());
  KnownObject loser = first;
  loser.version = 6;
  loser.newest().status = RecordStatus::kRunning;
  auto late = batch(
      {write_of(loser, 5), write_of(object("u2"), std::nullopt), write_of(object("u1", 6), std::nullopt)});
  late.objects.pop_back();
  late.cursor_scope = scope_;
  late.cursor = "6";
  const auto answer = wait(records().write(late));
  ASSERT_THAT(answer, IsOk());
  EXPECT_THAT(answer->lost, ElementsAre("u1"));
  EXPECT_EQ(load("u1").newest().status, RecordStatus::kDone);
  EXPECT_EQ(load("u2").records.size(), 1U) << "the others of the batch are written";
  EXPECT_EQ(*wait(records().cursor(scope_)), "");
  // As new, though it is known by now.
  const auto again = wait(records().write(batch({write_of(object("u1", 6), std::nullopt)})));
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(again->lost, ElementsAre("u1"));
  EXPECT_EQ(sql("select count(*) from records"), "2\n");
}

TEST_P(RecordStoreTest, TheCursorAndDeadLettersCommitWithTheRecords) {
  auto made = batch({write_of(object("u1"), std::nullopt)});
  made.cursor_scope = scope_;
  made.cursor = "41";
  made.dead_letters.push_back({.scope = scope_.text(),
                               .subject = "u9",
                               .name_space = "jobs",
                               .name = "bad",
                               .version = "x",
                               .size = 12,
                               .reason = "no decimal integer"});
  ASSERT_THAT(wait(records().write(made)), IsOk());
  made.objects.clear();
  made.cursor = "42";
  ASSERT_THAT(wait(records().write(made)), IsOk());
  EXPECT_EQ(*wait(records().cursor(scope_)), "42");
  EXPECT_EQ(sql("select subject || ' ' || times || ' ' || reason from dead_letters"),
            "u9 2 no decimal integer\n");
}

TEST_P(RecordStoreTest, ABatchThatFailsHoldsItsCursorAndWritesNothing) {
  KnownObject bad = object("u2");
  bad.newest().status = static_cast<RecordStatus>(9);  // what the schema refuses
  auto made = batch({write_of(object("u1"), std::nullopt), write_of(bad, std::nullopt)});
  made.cursor_scope = scope_;
  made.cursor = "41";
  EXPECT_FALSE(wait(records().write(made)).ok());
  EXPECT_EQ(*wait(records().cursor(scope_)), "");
  EXPECT_EQ(sql("select count(*) from objects"), "0\n");
}

TEST_P(RecordStoreTest, TransitionsAreEvents) {
  KnownObject known = store(object("u1", 5));
  known.version = 6;
  end(known.newest(), clock_.now());
  ASSERT_THAT(wait(records().write(batch({write_of(known, 5)}))), IsOk());
  known.version = 7;
  auto quiet = write_of(known, 6);
  quiet.records[0].tells = false;
  ASSERT_THAT(wait(records().write(batch({quiet}))), IsOk());
  const auto page = wait(db().events().read("", 10));
  ASSERT_THAT(page, IsOk());
  ASSERT_THAT(page->events, SizeIs(2));
  EXPECT_EQ(page->events[0].type, "record");
  EXPECT_EQ(page->events[0].subject, "r-u1");
  EXPECT_FALSE(page->events[0].body.contains("from"));
  EXPECT_EQ(page->events[1].body.at("from"), "PENDING");
  EXPECT_EQ(page->events[1].body.at("to"), "DONE");
  EXPECT_EQ(page->events[1].body.at("reason"), "Succeeded");
  EXPECT_EQ(page->events[1].body.at("project"), "search");
  EXPECT_EQ(page->events[1].body.at("table"), "drivers");
}

TEST_P(RecordStoreTest, LoadsNamesakesThatAreNotGoneAndRunsThatMayStillEnd) {
  KnownObject known = object("u1");
  known.submission_id = "s-1";
  domain::Run& old = known.records[0].run;
  end(old, clock_.now(), RecordStatus::kError, RecordReason::kSuperseded);
  old.submission_id = "s-1";
  known.records.push_back(record(known, 2));
  known = store(known);
  KnownObject gone = object("u2");
  gone.name = known.name;
  gone.gone = true;
  store(gone);
  const auto found = wait(records().load("spark", {{.uid = "u3", .name_space = "jobs", .name = known.name}}));
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(*found, SizeIs(1));
  EXPECT_EQ(found->front().uid, "u1");
  EXPECT_THAT(found->front().records, SizeIs(2));
  EXPECT_THAT(*wait(records().load("other", {{.uid = "u1", .name_space = "jobs", .name = known.name}})),
              IsEmpty());
}

TEST_P(RecordStoreTest, SweepsSeeTheirScopeAloneUpToTheListsVersion) {
  store(object("u1", 5));
  store(object("u2", 9));
  KnownObject elsewhere = object("u3", 5);
  elsewhere.scope = "other/";
  store(elsewhere);
  KnownObject gone = object("u4", 5);
  gone.gone = true;
  store(gone);
  const auto uids = [&](std::uint64_t version, const std::string& after) {
    std::vector<std::string> out;
    const auto found = wait(records().present(scope_, version, after, 10));
    EXPECT_THAT(found, IsOk());
    for (const KnownObject& one : *found) out.push_back(one.uid);
    return out;
  };
  EXPECT_THAT(uids(8, ""), ElementsAre("u1"));
  EXPECT_THAT(uids(9, ""), ElementsAre("u1", "u2"));
  EXPECT_THAT(uids(9, "u1"), ElementsAre("u2"));
}

TEST_P(RecordStoreTest, RetentionKeepsOpenRunsAndObjectsThatExist) {
  KnownObject lives = object("u1");
  end(lives.newest(), clock_.now());
  lives.newest().submission_id = "s-1";
  lives.submission_id = "s-1";
  store(lives);
  KnownObject gone = object("u2");
  end(gone.newest(), clock_.now());
  gone.gone = true;
  gone.records[0].manifest = "m1";
  auto made = batch({write_of(gone, std::nullopt)});
  made.manifests["m1"] = "{}";
  ASSERT_THAT(wait(records().write(made)), IsOk());
  store(object("u3"));  // open
  advance(absl::Hours(2));
  EXPECT_EQ(*wait(records().expire(clock_.now() - absl::Hours(3), 10)), 0U);
  EXPECT_EQ(*wait(records().expire(clock_.now() - absl::Hours(1), 10)), 2U);
  EXPECT_EQ(sql("select id from records"), "r-u3\n");
  EXPECT_EQ(sql("select uid from objects order by uid"), "u1\nu3\n");
  // The object outlives its record: it is known, with a run that is closed for good.
  const KnownObject known = load("u1");
  ASSERT_THAT(known.records, SizeIs(1));
  EXPECT_TRUE(known.newest().forgotten);
  EXPECT_TRUE(known.newest().has_outcome);
  EXPECT_EQ(known.newest().number, 1);

  EXPECT_THAT(wait(records().clean(clock_.now() - absl::Hours(1), clock_.now(), 10)), IsOk());
  EXPECT_EQ(sql("select hash from record_manifests"), "m1\n") << "let go of just now";
  advance(absl::Hours(2));
  EXPECT_THAT(wait(records().clean(clock_.now() - absl::Hours(1), clock_.now(), 10)), IsOk());
  EXPECT_EQ(sql("select hash from record_manifests"), "");
}

TEST_P(RecordStoreTest, AManifestThatAnotherRecordHasStays) {
  auto made = batch({});
  for (const char* uid : {"u1", "u2"}) {
    KnownObject known = object(uid);
    known.records[0].manifest = "m1";
    if (std::string(uid) == "u1") end(known.newest(), clock_.now());
    made.objects.push_back(write_of(known, std::nullopt));
  }
  made.manifests["m1"] = "{}";
  ASSERT_THAT(wait(records().write(made)), IsOk());
  advance(absl::Hours(2));
  EXPECT_EQ(*wait(records().expire(clock_.now(), 10)), 1U);
  advance(absl::Hours(2));
  EXPECT_THAT(wait(records().clean(clock_.now(), clock_.now(), 10)), IsOk());
  EXPECT_EQ(sql("select hash from record_manifests where loose_since is null"), "m1\n");
}

TEST_P(RecordStoreTest, ReflectorPoint19_OneHolderHasALeaseUntilItIsOldOrGiven) {
  const absl::Duration lease = absl::Seconds(45);
  const auto take = [&](const char* who) {
    return *wait(records().take_lease(scope_, InstanceId(who), lease, false));
  };
  EXPECT_TRUE(take("a"));
  EXPECT_FALSE(take("b"));
  advance(absl::Seconds(30));
  EXPECT_TRUE(take("a"));
  advance(absl::Seconds(30));
  EXPECT_FALSE(take("b"));
  advance(absl::Seconds(16));
  EXPECT_TRUE(take("b"));
  EXPECT_FALSE(take("a"));
  ASSERT_THAT(wait(records().give_lease(scope_, InstanceId("b"))), IsOk());
  EXPECT_TRUE(take("a"));
}

TEST_P(RecordStoreTest, OpenRunsThatNoWatchSeesSaySince) {
  store(object("u1"));
  KnownObject closed = object("u2");
  end(closed.newest(), clock_.now());
  store(closed);
  const absl::Duration patience = absl::Minutes(2);
  const auto watching = [&](bool is) {
    ASSERT_THAT(wait(records().take_lease(scope_, InstanceId("a"), absl::Seconds(45), is)), IsOk());
  };
  watching(true);
  ASSERT_THAT(wait(records().note_unwatched(patience)), IsOk());
  EXPECT_THAT(*wait(records().unwatched(clock_.now(), 10)), IsEmpty());
  advance(absl::Minutes(3));
  watching(false);  // it holds the lease and sees nothing
  ASSERT_THAT(wait(records().note_unwatched(patience)), IsOk());
  const absl::Time since = clock_.now();
  EXPECT_THAT(*wait(records().unwatched(since - absl::Seconds(1), 10)), IsEmpty());
  ASSERT_THAT(*wait(records().unwatched(since, 10)), SizeIs(1));
  EXPECT_EQ(wait(reader().get(RecordId("r-u1")))->unwatched_since, since);
  watching(true);
  ASSERT_THAT(wait(records().note_unwatched(patience)), IsOk());
  EXPECT_EQ(wait(reader().get(RecordId("r-u1")))->unwatched_since, std::nullopt);
}

TEST_P(RecordStoreTest, AClaimIsTrueOnlyIfTheJobsHandleNamesTheObject) {
  const domain::Job job = insert();
  const domain::Job claimed = claim_one("a");
  ASSERT_THAT(apply(claimed, running(claimed, "jobs/spark-job/uid-1")), IsOk());
  const auto found = wait(records().started_by({{.uid = "uid-1", .job = job.id},
                                                {.uid = "uid-2", .job = job.id},
                                                {.uid = "uid-1", .job = JobId("none")}}));
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(*found, ElementsAre(std::pair<const std::string, JobId>("uid-1", job.id)));
  KnownObject known = object("uid-1");
  known.records[0].gateway_job = job.id;
  store(known);
  EXPECT_THAT(*wait(reader().of_job(job.id)), ElementsAre(RecordId("r-uid-1")));
  EXPECT_THAT(wait(jobs().get(job.id))->record_ids, ElementsAre(RecordId("r-uid-1")));
}

TEST_P(RecordStoreTest, TheKeyOfSpecificationHashesIsMadeOnce) {
  const auto key = wait(records().spec_key());
  ASSERT_THAT(key, IsOk());
  EXPECT_EQ(key->size(), 64U);
  close();
  storage_ = open();
  EXPECT_EQ(*wait(records().spec_key()), *key);
}

TEST_P(RecordStoreTest, RunsThatWaitForTheOperatorAreFound) {
  KnownObject known = object("u1");
  known.newest().awaits_status = true;
  store(known);
  store(object("u2"));
  EXPECT_THAT(*wait(records().waiting(clock_.now() - absl::Minutes(10), 10)), IsEmpty());
  ASSERT_THAT(*wait(records().waiting(clock_.now(), 10)), SizeIs(1));
}

}  // namespace
}  // namespace waybill::testing
