#include <fmt/format.h>

#include <utility>

#include "tests/conformance/fixture.h"
#include "waybill/storage/job_list.h"
#include "waybill/storage/postgres/postgres_session.h"
#include "waybill/storage/sqlite/sqlite_session.h"

namespace waybill::testing {
namespace {

using ports::JobFilter;
using ports::JobOrder;
using ::testing::HasSubstr;
using ::testing::Not;

// Asks the database how it will run each composed statement before it does.
class ExplainingSession : public storage::Session {
 public:
  ExplainingSession(std::unique_ptr<Session> inner, bool on_postgres)
      : inner_(std::move(inner)), explain_(on_postgres ? "explain " : "explain query plan ") {}

  absl::StatusOr<std::vector<storage::Rows>> run(std::span<const storage::Call> calls) override {
    for (const storage::Call& call : calls) {
      storage::Call explained = call;
      explained.text = explain_ + call.text;
      WB_ASSIGN(const storage::Rows rows, storage::run_one(*inner_, std::move(explained)));
      for (const storage::Row& row : rows) plans_ += storage::as_text(row.back()) + '\n';
    }
    return inner_->run(calls);
  }
  absl::Status run_script(const std::string& sql) override { return inner_->run_script(sql); }
  absl::Status begin() override { return inner_->begin(); }
  absl::Status commit(std::span<const storage::Call> last) override { return inner_->commit(last); }
  void rollback() override { inner_->rollback(); }

  // Since the last call.
  std::string take_plans() { return std::exchange(plans_, {}); }

 private:
  std::unique_ptr<Session> inner_;
  std::string explain_;
  std::string plans_;
};

// What rest.md calls fast at any size is read by an index that has the page's order.
class ListPlansTest : public DatabaseTest {
 protected:
  static constexpr int kRows = 20'000;

  // Copies of one job, numbered in their ids: 100 users, 1,000 names, every 20th failed, each with one tag.
  void fill() {
    insert();
    const std::string columns = sql(
        on_postgres()
            ? "select string_agg('j.' || column_name, ', ' order by ordinal_position) from "
              "information_schema.columns where table_name = 'jobs' and column_name <> 'id'"
            : "select group_concat('j.' || name, ', ') from pragma_table_info('jobs') where name <> 'id'");
    const std::string digits = on_postgres() ? "lpad(cast(n.i as text), 8, '0')" : "printf('%08d', n.i)";
    sql(fmt::format(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < {}) insert into "
        "jobs select {} || '-0000-7000-8000-000000000000', {} from jobs j, n",
        kRows, digits, columns));
    sql("delete from jobs where id not like '%-0000-7000-8000-000000000000'");
    const std::string number = "cast(substr(id, 1, 8) as integer)";
    sql(fmt::format(
        "update jobs set username = 'user-' || ({0} % 100), name = 'name-' || ({0} % 1000), version = '1.' "
        "|| "
        "({0} % 50), command_name = 'command-' || ({0} % 50), cluster_name = 'cluster-' || ({0} % 50), "
        "status = "
        "case when {0} % 20 = 0 then 4 else 6 end, finished_at = ({0} + 10000000) * cast(1000000 as bigint), "
        "duration_us = {0}",
        number));
    sql(fmt::format("insert into job_tags (tag, job_id) select 'team:' || ({} % 50), id from jobs", number));
    if (on_postgres()) sql("analyze");  // SQLite is used without statistics
  }

  std::unique_ptr<storage::Session> connect(const storage::Queries& queries) {
    if (on_postgres()) return storage::make_postgres_session(connection_, queries);
    return storage::make_sqlite_session(folder_ + "/waybill.db", storage::SqliteUse::kRead, queries, clock_);
  }
};
WB_EVERY_BACKEND(ListPlansTest);

struct PlanCase {
  const char* what;
  JobFilter filter;
  const char* index;   // "" : the primary key of jobs
  bool sorts = false;  // several streams are merged, or few rows are sorted
};

// The moment that lies at the beginning of ids that begin with these eight digits.
absl::Time time_of(std::int64_t digits) { return absl::FromUnixMillis(digits << 16U); }

template <class Set>
JobFilter by(Set set) {
  JobFilter filter;
  set(filter);
  return filter;
}

std::vector<PlanCase> guaranteed_filters() {
  const absl::Time middle = absl::FromUnixSeconds(10'010'000);
  const auto failed = domain::JobStatus::kFailed;
  const auto killed = domain::JobStatus::kKilled;
  return {
      {"no filter", {}, ""},
      {"id", by([](auto& f) { f.id = "00000030-0000-7000-8000-000000000000"; }), "", true},
      {"a prefix of ids", by([](auto& f) { f.id = "0000003%"; }), ""},
      {"user", by([](auto& f) { f.username = "user-7"; }), "jobs_by_username"},
      {"name", by([](auto& f) { f.name = "name-7"; }), "jobs_by_name"},
      {"a prefix of few names", by([](auto& f) { f.name = "name-77%"; }), "jobs_by_name", true},
      {"version", by([](auto& f) { f.version = "1.3"; }), "jobs_by_version"},
      {"command", by([](auto& f) { f.command = "command-3"; }), "jobs_by_command"},
      {"cluster", by([](auto& f) { f.cluster = "cluster-3"; }), "jobs_by_cluster"},
      {"status", by([&](auto& f) { f.statuses = {failed}; }), "jobs_by_status"},
      {"statuses", by([&](auto& f) { f.statuses = {failed, killed}; }), "jobs_by_status", true},
      {"tag", by([](auto& f) { f.tags = {"team:7"}; }), "tags"},
      {"created", by([](auto& f) {
         f.from = time_of(0x5000);
         f.to = time_of(0x6000);
       }),
       ""},
      {"user and created", by([](auto& f) {
         f.username = "user-7";
         f.from = time_of(0x5000);
       }),
       "jobs_by_username"},
      {"finished, few", by([&](auto& f) {
         f.finished_from = middle;
         f.finished_to = middle + absl::Seconds(30);
       }),
       "jobs_by_finished", true},
  };
}

TEST_P(ListPlansTest, EveryGuaranteedFilterIsReadInTheOrderOfAnIndex) {
  fill();
  const storage::Queries queries(on_postgres() ? storage::Dialect::kPostgres : storage::Dialect::kSqlite);
  ExplainingSession session(connect(queries), on_postgres());
  const auto index_name = [&](const std::string& index) -> std::string {
    if (index.empty()) return on_postgres() ? "jobs_pkey" : "sqlite_autoindex_jobs_1";
    if (index == "tags") return on_postgres() ? "job_tags_pkey" : "SEARCH t USING PRIMARY KEY (tag=?";
    return index;
  };
  for (const PlanCase& c : guaranteed_filters()) {
    for (const JobOrder order : {JobOrder::kCreatedAt, JobOrder::kId}) {
      for (const bool descending : {true, false}) {
        ports::PageRequest request{.order = order, .descending = descending, .limit = 5};
        for (const bool first : {true, false}) {
          SCOPED_TRACE(fmt::format("{}, {} {} page", c.what, first ? "first" : "second",
                                   descending ? "descending" : "ascending"));
          const auto page = storage::list_jobs(session, queries, c.filter, request);
          ASSERT_THAT(page, IsOk());
          EXPECT_FALSE(page->jobs.empty());
          const std::string plans = session.take_plans();
          // A page that a short walk by id fills needs no other index.
          if (c.filter.finished_from && !first) break;
          EXPECT_THAT(plans, HasSubstr(index_name(c.index)));
          EXPECT_THAT(plans, Not(HasSubstr("Seq Scan on jobs")));
          EXPECT_THAT(plans, Not(HasSubstr("Seq Scan on job_tags")));
          EXPECT_FALSE(!c.sorts && (plans.find("Sort") != std::string::npos ||
                                    plans.find("TEMP B-TREE") != std::string::npos))
              << plans;
          request.cursor = page->next_cursor;
          if (request.cursor.empty()) break;
        }
      }
    }
  }
}

}  // namespace
}  // namespace waybill::testing
