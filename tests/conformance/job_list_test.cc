#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using domain::JobStatus;
using ports::JobFilter;
using ports::JobOrder;
using ports::PageRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class JobListTest : public DatabaseTest {
 protected:
  ports::JobPage page(JobFilter filter, PageRequest request = {}) {
    auto answer = wait(jobs().list(std::move(filter), std::move(request)));
    EXPECT_THAT(answer, IsOk());
    return answer.ok() ? *std::move(answer) : ports::JobPage();
  }
  std::vector<std::string> names(JobFilter filter, PageRequest request = {}) {
    std::vector<std::string> out;
    for (const domain::Job& job : page(std::move(filter), std::move(request)).jobs)
      out.push_back(job.spec.name);
    return out;
  }
  // All pages of `limit` rows.
  std::vector<std::string> all_pages(const JobFilter& filter, PageRequest request) {
    std::vector<std::string> out;
    do {
      const ports::JobPage part = page(filter, request);
      EXPECT_LE(part.jobs.size(), request.limit);
      for (const domain::Job& job : part.jobs) out.push_back(job.spec.name);
      request.cursor = part.next_cursor;
    } while (!request.cursor.empty() && out.size() < 1000);
    return out;
  }
  void fill(const std::vector<std::string>& job_names) {
    for (const std::string& name : job_names) insert(name);
  }
};
WB_EVERY_BACKEND(JobListTest);

TEST_P(JobListTest, NewestFirstByDefaultAndNoCursorOnTheLastPage) {
  insert("old");
  advance(absl::Seconds(1));
  insert("new");
  const ports::JobPage both = page({});
  ASSERT_THAT(both.jobs, SizeIs(2));
  EXPECT_EQ(both.jobs[0].spec.name, "new");
  EXPECT_EQ(both.next_cursor, "");
  EXPECT_EQ(page({}, {.limit = 2}).next_cursor, "") << "a full last page has no next";
  EXPECT_NE(page({}, {.limit = 1}).next_cursor, "");
}

TEST_P(JobListTest, EveryOrderPagesThroughAllJobsOnceInBothDirections) {
  for (int i = 0; i < 7; ++i) {
    domain::Job job = some_job("n" + std::to_string(6 - i));
    job.spec.tags = {"run:1"};
    insert(job);
    if (i % 2 == 0) advance(absl::Seconds(1));  // some share their time
  }
  const std::vector<domain::Job> claimed = claim("a", 4);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto started = apply(claimed[i], running(claimed[i]));
    ASSERT_THAT(started, IsOk());
    advance(absl::Seconds(10 - static_cast<int>(i) * 4));
    ASSERT_THAT(apply(*started, ended(*started, i == 0 ? JobStatus::kFailed : JobStatus::kSucceeded)),
                IsOk());
  }
  const auto key = [](const domain::Job& job, JobOrder order) -> std::pair<std::string, std::int64_t> {
    const auto& state = job.state;
    switch (order) {
      case JobOrder::kCreatedAt:
        return {"", absl::ToUnixMicros(job.created_at)};
      case JobOrder::kId:
        return {"", 0};
      case JobOrder::kUpdatedAt:
        return {"", absl::ToUnixMicros(job.updated_at)};
      case JobOrder::kName:
        return {job.spec.name, 0};
      case JobOrder::kStatus:
        return {"", static_cast<std::int64_t>(state.status)};
      case JobOrder::kDuration:
        return {"", state.finished_at == absl::InfinitePast()
                        ? -1
                        : absl::ToInt64Microseconds(state.finished_at - state.started_at)};
    }
    return {};
  };
  std::vector<domain::Job> everything = page({}).jobs;
  ASSERT_THAT(everything, SizeIs(7));
  for (const JobOrder order : {JobOrder::kCreatedAt, JobOrder::kId, JobOrder::kUpdatedAt, JobOrder::kName,
                               JobOrder::kStatus, JobOrder::kDuration}) {
    std::sort(everything.begin(), everything.end(), [&](const domain::Job& a, const domain::Job& b) {
      return std::make_pair(key(a, order), a.id) < std::make_pair(key(b, order), b.id);
    });
    std::vector<std::string> expected;
    for (const domain::Job& job : everything) expected.push_back(job.spec.name);
    JobFilter by_user;
    by_user.username = "ann";
    JobFilter by_tag;
    by_tag.tags = {"run:1"};
    JobFilter by_prefix;
    by_prefix.name = "n%";
    for (const JobFilter& filter : {JobFilter(), by_user, by_tag, by_prefix}) {
      for (const std::size_t limit : {1U, 2U, 7U, 101U}) {
        SCOPED_TRACE(static_cast<int>(order));
        EXPECT_EQ(all_pages(filter, {.order = order, .descending = false, .limit = limit}), expected);
        std::vector<std::string> reversed(expected.rbegin(), expected.rend());
        EXPECT_EQ(all_pages(filter, {.order = order, .descending = true, .limit = limit}), reversed);
      }
    }
  }
}

TEST_P(JobListTest, PagesOfATimeRangeShowEveryRowOnceInAnyOrderWhileRowsComeIn) {
  JobFilter range;
  for (int i = 0; i < 20; ++i) {
    if (i == 5) range.from = clock_.now();
    const std::string name = "n" + std::to_string(i * 7 % 20);
    if (i % 3 == 0) {
      finished_job(name, i % 2 == 0 ? JobStatus::kSucceeded : JobStatus::kFailed);
    } else {
      insert(name);
    }
    if (i % 4 != 0) advance(absl::Milliseconds(100 * i));  // some share their time
  }
  range.to = clock_.now() + absl::Hours(1);
  JobFilter of_ann = range;
  of_ann.username = "ann";
  JobFilter prefix = range;
  prefix.name = "n1%";
  const auto ids_of = [](const ports::JobPage& part) {
    std::vector<std::string> ids;
    for (const domain::Job& job : part.jobs) ids.push_back(job.id.str());
    return ids;
  };
  for (const JobOrder order : {JobOrder::kCreatedAt, JobOrder::kId, JobOrder::kUpdatedAt, JobOrder::kName,
                               JobOrder::kStatus, JobOrder::kDuration}) {
    for (const bool descending : {true, false}) {
      for (const JobFilter& filter : {range, of_ann, prefix}) {
        SCOPED_TRACE(static_cast<int>(order));
        const std::vector<std::string> before = ids_of(page(filter, {.limit = 1000}));
        ASSERT_FALSE(before.empty());
        std::map<std::string, int> seen;
        PageRequest request{.order = order, .descending = descending, .limit = 3};
        int came = 0;
        do {
          const ports::JobPage part = page(filter, request);
          for (const std::string& id : ids_of(part)) ++seen[id];
          request.cursor = part.next_cursor;
          if (came < 3) insert("n1" + std::to_string(++came));  // it fits every filter
          advance(absl::Milliseconds(10));
        } while (!request.cursor.empty());
        for (const std::string& id : before) EXPECT_EQ(seen[id], 1) << id;
        for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
      }
    }
  }
}

TEST_P(JobListTest, PatternsAreLikeCaseSensitiveWithBackslashAsEscape) {
  fill({"alpha", "Alpha", "al_ha", "al%ha", "beta", "Ümlaut", "a\\b", "alp", "it's\"; drop"});
  struct Case {
    const char* pattern;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {"alpha", {"alpha"}},
      {"ALPHA", {}},
      {"al%", {"alpha", "al_ha", "al%ha", "alp"}},
      {"al_ha", {"alpha", "al_ha", "al%ha"}},
      {"al\\_ha", {"al_ha"}},
      {"al\\%ha", {"al%ha"}},
      {"al\\%%", {"al%ha"}},
      {"%eta", {"beta"}},
      {"%t%", {"beta", "Ümlaut", "it's\"; drop"}},
      {"_mlaut", {"Ümlaut"}},
      {"Ü%", {"Ümlaut"}},
      {"a\\\\b", {"a\\b"}},
      {"a\\\\%", {"a\\b"}},
      {"a\\", {}},
      {"%\\", {}},
      {"", {}},
      {"%", {"alpha", "Alpha", "al_ha", "al%ha", "beta", "Ümlaut", "a\\b", "alp", "it's\"; drop"}},
      {"it's\"; drop", {"it's\"; drop"}},
      {"\xff%", {}},
  };
  for (const Case& c : cases) {
    JobFilter filter;
    filter.name = c.pattern;
    EXPECT_THAT(names(filter), ::testing::UnorderedElementsAreArray(c.expected)) << c.pattern;
  }
}

TEST_P(JobListTest, FiltersByEveryColumn) {
  domain::Job job = some_job("one");
  job.spec.user = "bob";
  job.spec.version = "2.1";
  job.route.command_name = "spark";
  job.route.cluster_name = "eks";
  job.spec.tags = {"env:prod", "team:x"};
  insert(job);
  insert("two");
  const auto with = [](auto set) {
    JobFilter filter;
    set(filter);
    return filter;
  };
  EXPECT_THAT(names(with([](auto& f) { f.username = "bo%"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.version = "2._"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.command = "spark"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.cluster = "e%"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([&](auto& f) { f.id = job.id.str(); })), ElementsAre("one"));
  EXPECT_THAT(names(with([&](auto& f) { f.id = job.id.str().substr(0, 35) + "%"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"env:prod"}; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"env:prod", "team:x"}; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"env:prod", "team:y"}; })), IsEmpty());
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"env:%"}; })), IsEmpty());
  EXPECT_THAT(names(with([&](auto& f) { f.tags = {"_id:" + job.id.str(), "team:x"}; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"_name:one", "_version:2.1"}; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.tags = {"_name:o%"}; })), IsEmpty());
  EXPECT_THAT(names(with([](auto& f) {
                f.username = "bob";
                f.name = "two";
              })),
              IsEmpty());
  EXPECT_THAT(names(with([](auto& f) { f.q = "PROD on"; })), ElementsAre("one"));
  EXPECT_THAT(names(with([](auto& f) { f.q = "prod two"; })), IsEmpty());
}

TEST_P(JobListTest, FiltersByStatuses) {
  finished_job("done");
  finished_job("failed", JobStatus::kFailed);
  insert("waiting");
  JobFilter filter;
  filter.statuses = {JobStatus::kFailed, JobStatus::kNew, JobStatus::kFailed};
  EXPECT_THAT(names(filter), UnorderedElementsAre("failed", "waiting"));
  EXPECT_THAT(all_pages(filter, {.limit = 1}), UnorderedElementsAre("failed", "waiting"));
  filter.username = "ann";
  EXPECT_THAT(names(filter), UnorderedElementsAre("failed", "waiting"));
  filter.statuses = {JobStatus::kKilled};
  EXPECT_THAT(names(filter), IsEmpty());
}

TEST_P(JobListTest, FiltersByTimesAndDurations) {
  const domain::Job first = insert("first");
  const domain::Job claimed = claim_one("a");
  const auto started = apply(claimed, running(claimed));
  advance(absl::Seconds(10));
  const auto done = apply(*started, ended(*started, JobStatus::kSucceeded));
  ASSERT_THAT(done, IsOk());
  const domain::Job second = insert("second");
  for (const JobOrder order : {JobOrder::kCreatedAt, JobOrder::kId, JobOrder::kDuration}) {
    const PageRequest by{.order = order};
    JobFilter filter;
    filter.from = second.created_at;
    EXPECT_THAT(names(filter, by), ElementsAre("second"));
    filter = {};
    filter.to = second.created_at;
    EXPECT_THAT(names(filter, by), ElementsAre("first")) << "the end is not included";
    filter = {};
    filter.finished_from = done->state.finished_at;
    EXPECT_THAT(names(filter, by), ElementsAre("first"));
    filter.finished_to = done->state.finished_at;
    EXPECT_THAT(names(filter, by), IsEmpty());
    filter = {};
    filter.min_duration = absl::Seconds(10);
    filter.max_duration = absl::Seconds(10);
    EXPECT_THAT(names(filter, by), ElementsAre("first"));
    filter = {};
    filter.max_duration = absl::Hours(1);
    EXPECT_THAT(names(filter, by), ElementsAre("first")) << "a job that hasn't ended has no duration";
  }
}

TEST_P(JobListTest, APrefixOfManyDifferentNamesIsFoundAsWell) {
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 150; ++i) batch.push_back({some_job("many-" + std::to_string(1000 + i)), {"ann", "a"}});
  ASSERT_THAT(wait(jobs().insert_all(batch, false, std::nullopt, 0)), IsOk());
  fill({"mana", "manz"});
  JobFilter filter;
  filter.name = "many-%";
  EXPECT_THAT(all_pages(filter, {.limit = 40}), SizeIs(150));
  filter.name = "many-%9";
  EXPECT_THAT(all_pages(filter, {.limit = 4}), SizeIs(15));
}

TEST_P(JobListTest, NamesAreOrderedByBytes) {
  fill({"b", "a", "B", "_", "é", "z"});
  EXPECT_THAT(names({}, {.order = JobOrder::kName, .descending = false}),
              ElementsAre("B", "_", "a", "b", "z", "é"));
}

TEST_P(JobListTest, ADamagedOrForeignCursorIsRefused) {
  fill({"a", "b"});
  const std::string good = page({}, {.limit = 1}).next_cursor;
  struct Case {
    const char* what;
    PageRequest request;
  };
  const Case cases[] = {
      {"no base64", {.cursor = "%%%"}},
      {"no JSON", {.cursor = "bm90IGpzb24="}},
      {"another shape", {.cursor = "eyJ2IjoieCIsImkiOjF9"}},
      {"cut", {.cursor = good.substr(0, good.size() / 2)}},
      {"another order", {.order = JobOrder::kUpdatedAt, .cursor = good}},
      {"another direction", {.descending = false, .cursor = good}},
  };
  for (const Case& c : cases) {
    const auto answer = wait(jobs().list({}, c.request));
    EXPECT_THAT(answer, StatusIs(absl::StatusCode::kInvalidArgument)) << c.what;
    EXPECT_EQ(message(answer.status()), "invalid pagination cursor");
  }
  EXPECT_THAT(wait(jobs().list({}, {.limit = 1, .cursor = good})), IsOk());
}

TEST_P(JobListTest, ALargeContextIsNamedByItsSizeInListsOnly) {
  std::string long_text;
  for (int i = 0; i < 9000; ++i) long_text += "ä";
  domain::Job job = some_job();
  job.spec.context = boost::json::object{{"k", long_text}};
  insert(job);
  const std::size_t bytes = boost::json::serialize(*job.spec.context).size();
  const domain::Job row = page({}).jobs.at(0);
  EXPECT_EQ(boost::json::serialize(*row.spec.context), "{\"$truncated\":" + std::to_string(bytes) + "}");
  EXPECT_EQ(wait(jobs().get(job.id))->spec.context, job.spec.context);
}

TEST_P(JobListTest, ASlowFilterReadsAtMostItsBudgetAPageAndGoesOnWhereItStopped) {
  // 50,001 rows newer than the one that is looked for.
  insert("needle");
  advance(absl::Seconds(1));
  insert("hay");
  const std::string columns =
      sql(on_postgres() ? "select string_agg('h.' || column_name, ', ' order by ordinal_position) "
                          "from information_schema.columns where table_name = 'jobs' and column_name <> 'id'"
                        : "select group_concat('h.' || name, ', ') from pragma_table_info('jobs') "
                          "where name <> 'id'");
  sql("with recursive n(i) as (select 100001 union all select i + 1 from n where i < 150000) "
      "insert into jobs select 'hay-' || n.i, " +
      columns + " from jobs h, n where h.name = 'hay'");
  JobFilter filter;
  filter.name = "%needle";
  const ports::JobPage first = page(filter);
  EXPECT_THAT(first.jobs, IsEmpty());
  ASSERT_NE(first.next_cursor, "") << "it read on beyond its budget, or gave up";
  const ports::JobPage second = page(filter, {.cursor = first.next_cursor});
  ASSERT_THAT(second.jobs, SizeIs(1));
  EXPECT_EQ(second.jobs[0].spec.name, "needle");
  EXPECT_EQ(second.next_cursor, "");
}

}  // namespace
}  // namespace waybill::testing
