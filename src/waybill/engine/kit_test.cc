#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

namespace waybill::engine {

using domain::JobStatus;

EngineTest::EngineTest() {
  std::string name = "/tmp/waybill-engine-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  directory_ = name;
  storage::DatabaseOptions database;
  database.connection = "sqlite:" + (directory_ / "waybill.db").string();
  database.pool_size = 2;
  database.instance = InstanceId("test");
  auto opened = storage::open(database, io_.executor(), clock_, log_);
  if (!opened.ok()) throw std::runtime_error(message(opened.status()));
  storage_ = *std::move(opened);
  jobs_ = std::make_unique<testing::FaultyJobStore>(storage_->jobs());
  logs_ = std::make_unique<storage::FileLogStore>(pool_, directory_ / "jobs");
  results_ = std::make_unique<storage::FileResultStore>(pool_, directory_ / "results");
  auto fake = std::make_unique<testing::FakeExecutor>(io_.executor());
  fake_ = fake.get();
  executors_["fake"] = std::move(fake);

  command_.id = CommandId("fake");
  command_.name = "fake";
  command_.version = "1";
  command_.plugin = "fake";
  command_.tags = {"type:fake"};
  command_.cluster_tags = {"where:here"};
  sync_ = command_;
  sync_.id = CommandId("sync");
  sync_.name = "sync";
  sync_.is_sync = true;
  sync_.tags = {"type:sync"};
  cluster_.id = ClusterId("here");
  cluster_.name = "here";
  cluster_.version = "1";
  cluster_.tags = {"where:here"};
  options_.roles = {"api", "worker"};
}

EngineTest::~EngineTest() {
  engines_.clear();
  settle();
  storage_.reset();
  pool_.join();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

domain::Catalog EngineTest::base() const {
  domain::Catalog catalog;
  catalog.commands[command_.id] = std::make_shared<const domain::Command>(command_);
  catalog.commands[sync_.id] = std::make_shared<const domain::Command>(sync_);
  catalog.clusters[cluster_.id] = std::make_shared<const domain::Cluster>(cluster_);
  return catalog;
}

absl::Status EngineTest::start_one(EngineOptions options) {
  EnginePorts ports{.jobs = *jobs_,
                    .catalog = storage_->catalog(),
                    .events = storage_->events(),
                    .audit = storage_->audit(),
                    .logs = *logs_,
                    .results = *results_,
                    .changes = storage_->changes(),
                    .clock = clock_,
                    .executors = executors_,
                    .pool = pool_,
                    .lanes = {pool_, pool_},
                    .log = log_,
                    .redactor = redactor_};
  engines_.push_back(std::make_unique<Engine>(io_.executor(), ports, std::move(options)));
  return run(engines_.back()->start(base()));
}

absl::Status EngineTest::start_status(const std::string& instance) {
  EngineOptions options = options_;
  options.instance = InstanceId(instance);
  return start_one(std::move(options));
}

Engine& EngineTest::start(const std::string& instance, const std::string& host) {
  EngineOptions options = options_;
  options.instance = InstanceId(instance);
  options.host = host;
  absl::Status started = unavailable("not tried");
  for (int tried = 0; tried < 3 && absl::IsUnavailable(started); ++tried) {
    if (tried > 0) crash();  // as whoever restarts a server that could not start
    started = start_one(options);
  }
  EXPECT_TRUE(started.ok()) << started;
  return *engines_.back();
}

void EngineTest::crash(Engine& engine) {
  std::erase_if(engines_, [&](const std::unique_ptr<Engine>& one) { return one.get() == &engine; });
}

void EngineTest::stop(Engine& engine) {
  run(engine.stop());
  crash(engine);
}

domain::JobSpec EngineTest::spec(const std::string& name, const std::string& tag) {
  domain::JobSpec spec;
  spec.name = name;
  spec.version = "1";
  spec.command_criteria = std::vector<std::string>{tag};
  spec.cluster_criteria = std::vector<std::string>{};
  return spec;
}

domain::Caller EngineTest::caller(const std::string& name, bool admin) {
  domain::Caller caller;
  caller.name = name;
  caller.is_admin = admin;
  caller.may_write_catalog = admin;
  return caller;
}

absl::StatusOr<Submitted> EngineTest::try_submit(domain::JobSpec spec, domain::Caller by,
                                                 const std::string& key) {
  return run(engine().submitter().submit({.spec = std::move(spec), .idempotency_key = key}, std::move(by)));
}

JobId EngineTest::submit(domain::JobSpec spec, domain::Caller by) {
  const auto submitted = try_submit(std::move(spec), std::move(by));
  EXPECT_TRUE(submitted.ok()) << submitted.status();
  return submitted.ok() ? submitted->job.id : JobId();
}

domain::Job EngineTest::job(const JobId& id) {
  const auto found = run(storage_->jobs().get(id));
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? *found : domain::Job();
}

void EngineTest::wait_until(const std::function<bool()>& done, const std::string& what) {
  advance_until(absl::ZeroDuration(), done, what);
}

void EngineTest::advance_until(absl::Duration step, const std::function<bool()>& done,
                               const std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain: " + what);
    clock_.advance(step);
    settle();
  }
}

domain::Job EngineTest::wait_for(const JobId& id, JobStatus status) {
  return advance_to(id, status, absl::ZeroDuration());
}

domain::Job EngineTest::advance_to(const JobId& id, JobStatus status, absl::Duration step) {
  domain::Job now;
  const auto is_there = [&] {
    now = job(id);
    return now.state.status == status;
  };
  advance_until(step, is_there, id.str() + " to be " + std::string(to_string(status)));
  return now;
}

domain::Job EngineTest::advance_to_end(const JobId& id, absl::Duration step) {
  domain::Job now;
  const auto is_over = [&] {
    now = job(id);
    return domain::is_final(now.state.status);
  };
  advance_until(step, is_over, id.str() + " to end");
  return now;
}

void EngineTest::advance(absl::Duration duration) {
  clock_.advance(duration);
  settle();
}

void EngineTest::settle() {
  // What waits for the database or the pool comes back through the io; two answers after each other mean that
  // the queues before ours are empty.
  for (int i = 0; i < 3; ++i) {
    io_.drain();
    const absl::Status ready = run(storage_->ready());
    static_cast<void>(ready);
    auto nothing = [] { return true; };
    const bool pooled = run(on(pool_, nothing));
    static_cast<void>(pooled);
  }
  io_.drain();
}

void EngineTest::end_run(const JobId& id, ports::RunPhase phase, const std::string& error, int attempt) {
  testing::FakeExecutor::Run* run = fake_->find(id, attempt);
  ASSERT_NE(run, nullptr);
  run->now.phase = phase;
  run->now.error = error;
  engine().nudge(id);
}

std::vector<std::string> EngineTest::history(const JobId& id) {
  std::vector<std::string> steps;
  const auto transitions = run(storage_->jobs().transitions(id));
  EXPECT_TRUE(transitions.ok());
  for (const ports::JobTransition& step : *transitions) steps.emplace_back(to_string(step.to));
  return steps;
}

}  // namespace waybill::engine
