#include "tests/conformance/fixture.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace waybill::testing {

std::string backend_name(const ::testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::kSqlite ? "Sqlite" : "Postgres";
}

DatabaseTest::DatabaseTest() {
  std::string pattern = "/tmp/waybill-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  connection_ = "sqlite:" + folder_ + "/waybill.db";
  storage_ = open();
}

DatabaseTest::~DatabaseTest() {
  storage_.reset();
  io_.drain();
  std::filesystem::remove_all(folder_);
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

void DatabaseTest::advance(absl::Duration duration) { clock_.advance(duration); }

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
