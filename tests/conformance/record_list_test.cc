#include <fmt/format.h>

#include "tests/conformance/record_kit.h"

namespace waybill::testing {
namespace {

using domain::KnownObject;
using domain::RecordReason;
using domain::RecordStatus;
using domain::RecordType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class RecordListTest : public RecordDatabaseTest {
 protected:
  // A record `minutes` after the start of the test's day.
  KnownObject at(const std::string& uid, int minutes) {
    KnownObject known = object(uid);
    known.record_id = uid;
    known.newest().start = day_ + absl::Minutes(minutes);
    return known;
  }
  std::vector<std::string> ids(ports::RecordFilter filter, ports::RecordPageRequest page = {}) {
    const auto got = wait(reader().list(std::move(filter), std::move(page)));
    EXPECT_THAT(got, IsOk());
    std::vector<std::string> out;
    next_.clear();
    if (!got.ok()) return out;
    next_ = got->next_cursor;
    for (const domain::Record& one : got->records) out.push_back(one.run.id.str());
    return out;
  }
  absl::Time day_ = absl::FromUnixSeconds(1'780'012'800);  // a whole day
  std::string next_;
};
WB_EVERY_BACKEND(RecordListTest);

TEST_P(RecordListTest, PagesGoByStartAndIdInBothDirections) {
  for (int i = 0; i < 5; ++i) store(at(fmt::format("u{}", i), i / 2));
  EXPECT_THAT(ids({}), ElementsAre("u4", "u3", "u2", "u1", "u0"));
  EXPECT_EQ(next_, "");
  for (const bool descending : {true, false}) {
    std::vector<std::string> all;
    ports::RecordPageRequest page{.limit = 2, .cursor = "", .descending = descending};
    do {
      for (std::string& id : ids({}, page)) all.push_back(std::move(id));
      page.cursor = next_;
    } while (!page.cursor.empty());
    if (!descending) std::reverse(all.begin(), all.end());
    EXPECT_THAT(all, ElementsAre("u4", "u3", "u2", "u1", "u0"));
  }
}

TEST_P(RecordListTest, ACursorOfSomethingElseIsRefused) {
  store(at("u1", 1));
  store(at("u2", 2));
  ids({}, {.limit = 1, .cursor = "", .descending = true});
  for (const std::string& cursor : {std::string("x"), next_ + "x", std::string("W10")}) {
    EXPECT_THAT(wait(reader().list({}, {.limit = 1, .cursor = cursor, .descending = true})),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(wait(reader().list({}, {.limit = 1, .cursor = next_, .descending = false})),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(RecordListTest, EachFilterAloneAndWithOthersFindsItsRows) {
  KnownObject a = at("a", 1);
  a.newest().application_id = "spark-1";
  a.newest().hash = "h1";
  store(a);
  KnownObject b = at("b", 2);
  b.newest().project = "maps";
  b.newest().type_word = "RETRIEVAL_JOB";
  b.newest().table = "";
  b.name_space = b.newest().name_space = "other";
  end(b.newest(), day_ + absl::Minutes(3));
  store(b);
  KnownObject c = at("c", 3);
  c.newest().table = "trips";
  c.newest().hash = "h1";
  end(c.newest(), day_ + absl::Minutes(4), RecordStatus::kError, RecordReason::kLost);
  c.records[0].gateway_job = JobId("job-7");
  store(c);
  KnownObject d = at("d", 4);
  d.name = d.newest().name = "job-7";
  store(d);

  using Filter = ports::RecordFilter;
  const auto with = [](auto member, auto value) {
    Filter filter;
    filter.*member = value;
    return filter;
  };
  EXPECT_THAT(ids(with(&Filter::project, "maps")), ElementsAre("b"));
  EXPECT_THAT(ids(with(&Filter::table, "trips")), ElementsAre("c"));
  EXPECT_THAT(ids(with(&Filter::cluster, "spark")), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(ids(with(&Filter::cluster, "else")), IsEmpty());
  EXPECT_THAT(ids(with(&Filter::name_space, "other")), ElementsAre("b"));
  EXPECT_THAT(ids(with(&Filter::job_id, "job-7")), ElementsAre("d", "c"));
  EXPECT_THAT(ids(with(&Filter::spark_application_id, "spark-1")), ElementsAre("a"));
  EXPECT_THAT(ids(with(&Filter::spark_application_id, "")), IsEmpty());
  EXPECT_THAT(ids(with(&Filter::hash, "h1")), ElementsAre("c", "a"));
  EXPECT_THAT(ids(with(&Filter::types, std::vector{RecordType::kRetrieval})), ElementsAre("b"));
  EXPECT_THAT(ids(with(&Filter::statuses, std::vector{RecordStatus::kPending, RecordStatus::kError})),
              ElementsAre("d", "c", "a"));
  EXPECT_THAT(ids(with(&Filter::reasons, std::vector{RecordReason::kLost, RecordReason::kSucceeded})),
              ElementsAre("c", "b"));
  EXPECT_THAT(ids(with(&Filter::from, day_ + absl::Minutes(3))), ElementsAre("d", "c"));
  EXPECT_THAT(ids(with(&Filter::to, day_ + absl::Minutes(3))), ElementsAre("c", "b", "a"));
  EXPECT_THAT(ids(with(&Filter::project, "\xff")), IsEmpty());

  Filter both = with(&Filter::project, "search");
  both.table = "drivers";
  EXPECT_THAT(ids(both), ElementsAre("d", "a"));
  both.hash = "h1";  // the table's name, or its hash
  EXPECT_THAT(ids(both), ElementsAre("d", "c", "a"));
  both.statuses = {RecordStatus::kError};
  EXPECT_THAT(ids(both), ElementsAre("c"));
  Filter job = with(&Filter::job_id, "job-7");
  job.reasons = {RecordReason::kLost};
  EXPECT_THAT(ids(job), ElementsAre("c"));
  Filter all = with(&Filter::spark_application_id, "spark-1");
  all.table = "other";
  all.hash = "h1";
  all.job_id = "app-a";
  EXPECT_THAT(ids(all), ElementsAre("a"));
  all.job_id = "app-b";
  EXPECT_THAT(ids(all), IsEmpty());
}

TEST_P(RecordListTest, AWindowFindsTheRunsWhoseDataOverlapIt) {
  const auto windowed = [&](const char* id, std::optional<int> from, std::optional<int> to) {
    KnownObject known = at(id, 1);
    if (from) known.newest().window.from = day_ + absl::Hours(*from);
    if (to) known.newest().window.to = day_ + absl::Hours(*to);
    store(known);
  };
  windowed("early", 0, 2);
  windowed("late", 2, 4);
  windowed("whole", 0, 24);
  windowed("until", std::nullopt, 2);
  windowed("none", std::nullopt, std::nullopt);
  ports::RecordFilter filter;
  filter.window_from = day_ + absl::Hours(2);
  EXPECT_THAT(ids(filter), UnorderedElementsAre("late", "whole"));
  filter.window_from = day_ + absl::Hours(1);
  filter.window_to = day_ + absl::Hours(2);
  EXPECT_THAT(ids(filter), UnorderedElementsAre("early", "whole", "until"));
}

TEST_P(RecordListTest, ATableIsKnownByItsRecords) {
  store(at("u1", 1));
  EXPECT_TRUE(*wait(reader().knows_table("search", "drivers")));
  EXPECT_FALSE(*wait(reader().knows_table("maps", "drivers")));
  EXPECT_THAT(wait(reader().get(RecordId("none"))), StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(RecordListTest, StatisticsCountByBucketAndKeepLostRunsApart) {
  const auto ended = [&](const char* id, int minutes, int duration, RecordStatus status,
                         RecordReason reason) {
    KnownObject known = at(id, minutes);
    end(known.newest(), known.newest().start + absl::Minutes(duration), status, reason);
    store(known);
  };
  ended("a", 10, 10, RecordStatus::kDone, RecordReason::kSucceeded);
  ended("b", 20, 100, RecordStatus::kDone, RecordReason::kSucceeded);
  ended("c", 30, 1, RecordStatus::kError, RecordReason::kFailed);
  ended("d", 40, 1, RecordStatus::kError, RecordReason::kLost);
  ended("e", 130, 30, RecordStatus::kDone, RecordReason::kSucceeded);
  KnownObject other = at("f", 20);
  other.newest().project = "maps";
  store(other);
  ports::RecordStatsRequest request{.from = day_,
                                    .to = day_ + absl::Hours(24),
                                    .bucket = absl::Hours(2),
                                    .project = "search",
                                    .table = {},
                                    .types = {RecordType::kBatchIngestion}};
  const auto stats = wait(reader().record_stats(request));
  ASSERT_THAT(stats, IsOk());
  ASSERT_EQ(stats->size(), 2U);
  EXPECT_EQ((*stats)[0].start, day_);
  EXPECT_EQ((*stats)[0].counts.at(RecordStatus::kDone), 2);
  EXPECT_EQ((*stats)[0].counts.at(RecordStatus::kError), 1);
  EXPECT_EQ((*stats)[0].unknown, 1);
  // Within the ten percent of a histogram's bucket.
  EXPECT_NEAR(absl::ToDoubleMinutes(*(*stats)[0].p50), 10, 1);
  EXPECT_NEAR(absl::ToDoubleMinutes(*(*stats)[0].p95), 100, 10);
  EXPECT_EQ((*stats)[1].start, day_ + absl::Hours(2));
  request.bucket = absl::Minutes(30);
  EXPECT_THAT(wait(reader().record_stats(request)), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace waybill::testing
