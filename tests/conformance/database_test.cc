#include "waybill/storage/database.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/conformance/fixture.h"
#include "tests/support/postgres.h"

namespace waybill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class OpenTest : public DatabaseTest {
 protected:
  absl::StatusOr<std::unique_ptr<storage::Storage>> try_open(const std::string& connection) {
    storage::DatabaseOptions options;
    options.connection = connection;
    options.pool_size = 1;
    options.instance = InstanceId("second");
    options.host = "host-2";
    return storage::open(options, io_.executor(), clock_, log_);
  }
};
WB_EVERY_BACKEND(OpenTest);

TEST_P(OpenTest, IsReady) { EXPECT_THAT(wait(db().ready()), IsOk()); }

TEST_P(OpenTest, MigratingAgainAppliesNothing) {
  close();
  storage::DatabaseOptions options;
  options.connection = connection_;
  const auto applied = storage::migrate_database(options, clock_);
  ASSERT_THAT(applied, IsOk());
  EXPECT_THAT(*applied, IsEmpty());
}

TEST_P(OpenTest, ADatabaseKeepsItsMark) {
  const std::string mark = db().mark();
  EXPECT_TRUE(is_uuid(mark)) << mark;
  close();
  storage_ = open();
  EXPECT_EQ(db().mark(), mark);
}

TEST_P(OpenTest, AMigrationThatWasChangedRefusesToStart) {
  close();
  sql("update schema_migrations set checksum = 'other' where number = 1");
  const auto opened = try_open(connection_);
  EXPECT_THAT(opened, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(message(opened.status()), HasSubstr("0001_jobs"));
}

TEST_P(OpenTest, AMigrationOfANewerVersionRefusesToStart) {
  close();
  sql("insert into schema_migrations values (9999, '9999_future', 'x', 0)");
  const auto opened = try_open(connection_);
  EXPECT_THAT(opened, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(message(opened.status()), HasSubstr("9999_future"));
}

TEST_P(OpenTest, ASecondServerOnOneSqliteFileIsRefusedAndToldWhoHasIt) {
  const auto second = try_open(connection_);
  if (on_postgres()) {
    EXPECT_THAT(second, IsOk()) << "several servers share a PostgreSQL";
    return;
  }
  ASSERT_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(message(second.status()), HasSubstr(fmt::format("instance a, pid {}, host host-a", getpid())));
  close();
  EXPECT_THAT(try_open(connection_), IsOk());
}

TEST_P(OpenTest, ADatabaseThatCannotBeReachedIsUnavailableWithoutItsPassword) {
  const char* away = on_postgres() ? "postgres://u:hunter2@127.0.0.1:1/db" : "sqlite:/proc/nowhere/x.db";
  const auto opened = try_open(away);
  EXPECT_THAT(opened, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(message(opened.status()), Not(HasSubstr("hunter2")));
}

TEST_P(OpenTest, WhatIsNoConnectionStringIsSaid) {
  for (const char* text : {"", "sqlite:", "mysql://root:hunter2@h/db", "waybill.db", "sqlite::memory:"}) {
    const auto opened = try_open(text);
    EXPECT_THAT(opened, StatusIs(absl::StatusCode::kInvalidArgument)) << text;
    EXPECT_THAT(message(opened.status()), Not(HasSubstr("hunter2")));
  }
}

TEST_P(OpenTest, TheFilesAreTheServersAlone) {
  if (on_postgres()) return;
  insert();
  for (const char* name : {"/waybill.db", "/waybill.db-wal", "/waybill.db.lock"}) {
    struct stat info{};
    ASSERT_EQ(stat((folder_ + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0077U, 0U) << name;
  }
}

// The schema as the database sees it, one object a line, against the reviewed text. WAYBILL_UPDATE_SNAPSHOTS
// rewrites it.
TEST_P(OpenTest, TheSchemaAfterAllMigrationsIsTheReviewedOne) {
  std::string name = "sqlite";
  std::string schema;
  if (on_postgres()) {
    name = "postgres";
    shared_postgres().create_database("schema_snapshot");
    storage::DatabaseOptions options;
    options.connection = shared_postgres().connection("schema_snapshot");
    ASSERT_THAT(storage::migrate_database(options, clock_), IsOk());
    schema = shared_postgres().run("schema_snapshot", R"(
      select line from (
        select 1 as kind, c.relname::text as owner, a.attnum::int as n, format('%s.%s %s%s%s%s', c.relname, a.attname,
          format_type(a.atttypid, a.atttypmod),
          case when a.attcollation <> 0 and a.attcollation <> 100
            then ' collate ' || (select collname from pg_collation where oid = a.attcollation) else '' end,
          case when a.attnotnull then ' not null' else '' end,
          coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
        from pg_class c join pg_namespace s on s.oid = c.relnamespace and s.nspname = 'public'
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relkind = 'r'
        union all
        select 2, indexname::text, 0, indexdef from pg_indexes where schemaname = 'public'
        union all
        select 3, conname::text, 0, conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        from pg_constraint where connamespace = 'public'::regnamespace and contype in ('c', 'f')
        union all
        select 4, proname::text, 0, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
      ) o order by kind, owner collate "C", n)");
    shared_postgres().drop_database("schema_snapshot");
  } else {
    schema =
        sql("select sql || ';' from sqlite_schema where sql is not null and name not like 'sqlite_%' "
            "order by type desc, name");
  }
  const std::string path = "tests/testdata/schema/" + name + ".sql";
  if (std::getenv("WAYBILL_UPDATE_SNAPSHOTS") != nullptr) std::ofstream(path) << schema;
  std::stringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(schema, expected.str()) << "a migration changed the schema: review it, then update " << path;
}

TEST_P(OpenTest, WhatWasAcceptedIsWrittenBeforeTheEnd) {
  std::vector<domain::Job> made;
  for (int i = 0; i < 50; ++i) made.push_back(some_job());
  int answered = 0;
  for (const domain::Job& job : made) {
    ports::NewJob fresh{job, {"ann", "a"}};
    boost::asio::co_spawn(
        io_.context(), jobs().insert(std::move(fresh), std::nullopt, 0),
        [&](std::exception_ptr, absl::StatusOr<ports::Inserted> answer) { answered += answer.ok(); });
  }
  io_.drain();  // all are handed over
  close();
  io_.drain();
  EXPECT_EQ(answered, 50);
  storage_ = open();
  EXPECT_EQ(sql("select count(*) from jobs"), "50\n");
}

class ChangeFeedTest : public DatabaseTest {
 protected:
  using Kind = ports::ChangeKind;
  std::vector<ports::ChangeNotice> got_;
  std::unique_ptr<ports::ChangeFeed::Subscription> listen(storage::Storage& to) {
    return to.changes().subscribe([this](const ports::ChangeNotice& notice) { got_.push_back(notice); });
  }
  [[nodiscard]] bool heard(Kind kind, const std::string& id) const {
    return std::any_of(got_.begin(), got_.end(), [&](const auto& n) { return n.kind == kind && n.id == id; });
  }
};
WB_EVERY_BACKEND(ChangeFeedTest);

TEST_P(ChangeFeedTest, TellsOfJobsCancelsEventsAndTheCatalog) {
  const auto subscription = listen(db());
  const domain::Job job = insert();
  io_.wait_until([&] { return heard(Kind::kJobsWaiting, "") && heard(Kind::kEventsAppended, job.id.str()); });
  const domain::Job claimed = claim_one("a");
  const auto started = apply(claimed, running(claimed));
  ASSERT_THAT(started, IsOk());
  domain::JobState canceling = started->state;
  canceling.status = domain::JobStatus::kCanceling;
  canceling.canceled_by = "ann";
  ASSERT_THAT(apply(*started, canceling), IsOk());
  io_.wait_until([&] { return heard(Kind::kCancelRequested, job.id.str()); });
  ports::CatalogOverride entry;
  entry.id = "x";
  ASSERT_THAT(wait(db().catalog().put_override(entry)), IsOk());
  io_.wait_until([&] { return heard(Kind::kCatalogChanged, "x"); });
}

TEST_P(ChangeFeedTest, AnEndedSubscriptionHearsNothing) {
  auto subscription = listen(db());
  subscription.reset();
  insert();
  io_.drain();
  EXPECT_THAT(got_, IsEmpty());
}

TEST_P(ChangeFeedTest, ManyIdsBecomeOneNotice) {
  const auto subscription = listen(db());
  std::vector<ports::NewJob> batch;
  for (int i = 0; i < 500; ++i) batch.push_back({some_job(), {"ann", "a"}});
  ASSERT_THAT(wait(jobs().insert_all(batch, false, std::nullopt, 0)), IsOk());
  io_.wait_until([&] { return heard(Kind::kEventsAppended, ""); });
  EXPECT_LE(got_.size(), 2U);
}

TEST_P(ChangeFeedTest, AnotherInstanceHearsItOnPostgres) {
  if (!on_postgres()) return;
  const auto other = open("b");
  const auto subscription = listen(*other);
  // The other's line may still be connecting: it is told again until it hears.
  io_.wait_until([&] {
    insert();
    return heard(Kind::kJobsWaiting, "");
  });
}

}  // namespace
}  // namespace waybill::testing
