#include "tests/conformance/fixture.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tests/support/postgres.h"

namespace waybill::testing {

std::string backend_name(const ::testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::kSqlite ? "Sqlite" : "Postgres";
}

namespace {

// A migrated database whose clock is a row that tests set; each test gets a copy.
const std::string& postgres_template() {
  static const std::string name = [] {
    Postgres& server = shared_postgres();
    TestIo io;
    FakeClock clock(io.context());
    storage::DatabaseOptions options;
    options.connection = server.create_database("waybill_template");
    const auto migrated = storage::migrate_database(options, clock);
    if (!migrated.ok()) throw std::runtime_error(message(migrated.status()));
    server.run("waybill_template",
               "create table test_clock (now bigint not null);"
               "insert into test_clock values (0);"
               "create or replace function waybill_now() returns bigint language sql stable"
               " as 'select now from test_clock';");
    return std::string("waybill_template");
  }();
  return name;
}

std::string fresh_name() {
  static int count = 0;
  return fmt::format("t{}", ++count);
}

}  // namespace

DatabaseTest::DatabaseTest() {
  if (on_postgres()) {
    database_ = fresh_name();
    connection_ = shared_postgres().create_database(database_, postgres_template());
    advance(absl::ZeroDuration());
  } else {
    std::string pattern = "/tmp/waybill-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    connection_ = "sqlite:" + folder_ + "/waybill.db";
  }
  storage_ = open();
}

DatabaseTest::~DatabaseTest() {
  storage_.reset();
  io_.drain();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
  if (!database_.empty()) shared_postgres().drop_database(database_);
}

std::string DatabaseTest::sql(const std::string& statement) {
  if (on_postgres()) return shared_postgres().run(database_, statement);
  sqlite3* raw = nullptr;
  sqlite3_open((folder_ + "/waybill.db").c_str(), &raw);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(raw, sqlite3_close);
  std::string out;
  const auto take = [](void* into, int /*columns*/, char** values, char** /*names*/) {
    *static_cast<std::string*>(into) += std::string(values[0] == nullptr ? "" : values[0]) + '\n';
    return 0;
  };
  if (sqlite3_exec(raw, statement.c_str(), take, &out, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(raw));
  }
  return out;
}

std::unique_ptr<storage::Storage> DatabaseTest::open(const std::string& instance) {
  storage::DatabaseOptions options;
  options.connection = connection_;
  options.pool_size = 2;
  options.instance = InstanceId(instance);
  options.host = "host-" + instance;
  auto opened = storage::open(options, io_.executor(), clock_, log_);
  if (!opened.ok()) throw std::runtime_error(message(opened.status()));
  return *std::move(opened);
}

void DatabaseTest::advance(absl::Duration duration) {
  clock_.advance(duration);
  if (on_postgres()) {
    shared_postgres().run(database_,
                          fmt::format("update test_clock set now = {}", absl::ToUnixMicros(clock_.now())));
  }
}

domain::Job DatabaseTest::some_job(const std::string& name) {
  domain::Job job;
  job.id = JobId(ids_.next(clock_.now()));
  job.spec.name = name;
  job.spec.version = "1.0";
  job.spec.user = "ann";
  job.route.command_id = CommandId("ping-id");
  job.route.command_name = "ping";
  job.route.cluster_id = ClusterId("local-id");
  job.route.cluster_name = "local";
  job.route.plugin = "ping";
  job.created_at = clock_.now();
  job.updated_at = clock_.now();
  return job;
}

domain::Job DatabaseTest::insert(domain::Job job) {
  ports::NewJob fresh{std::move(job), {"ann", "a"}};
  auto inserted = wait(jobs().insert(std::move(fresh), std::nullopt, 0));
  if (!inserted.ok()) throw std::runtime_error(message(inserted.status()));
  return inserted->job;
}

std::vector<domain::Job> DatabaseTest::claim(const std::string& by, int places) {
  ports::ClaimRequest request{.by = InstanceId(by),
                              .host = "host-" + by,
                              .host_local = places,
                              .remote = places,
                              .note = {"waybill", by}};
  auto claimed = wait(jobs().claim(std::move(request)));
  if (!claimed.ok()) throw std::runtime_error(message(claimed.status()));
  return *std::move(claimed);
}

domain::Job DatabaseTest::claim_one(const std::string& by) {
  std::vector<domain::Job> claimed = claim(by, 1);
  if (claimed.size() != 1) throw std::runtime_error("expected one job to claim");
  return claimed.front();
}

absl::StatusOr<domain::Job> DatabaseTest::apply(const domain::Job& job, domain::JobState state) {
  ports::JobWrite write;
  write.id = job.id;
  write.expected_status = job.state.status;
  write.expected_epoch = job.state.epoch;
  write.state = std::move(state);
  write.note = {"waybill", job.state.owner.str()};
  return wait(jobs().write(std::move(write)));
}

domain::JobState DatabaseTest::running(const domain::Job& job, const std::string& handle) {
  domain::JobState state = job.state;
  state.status = domain::JobStatus::kRunning;
  state.handle = handle;
  state.started_at = clock_.now();
  return state;
}

domain::JobState DatabaseTest::ended(const domain::Job& job, domain::JobStatus status,
                                     const std::string& error) {
  domain::JobState state = job.state;
  state.status = status;
  state.owner = {};
  if (state.started_at == absl::InfinitePast()) state.started_at = clock_.now();
  state.finished_at = clock_.now();
  state.error = error;
  return state;
}

domain::Job DatabaseTest::finished_job(const std::string& name, domain::JobStatus status) {
  const domain::Job job = insert(name);
  const domain::Job claimed = claim_one("a");
  auto done = apply(claimed, ended(claimed, status));
  if (!done.ok()) throw std::runtime_error(message(done.status()));
  return *std::move(done);
}

}  // namespace waybill::testing
