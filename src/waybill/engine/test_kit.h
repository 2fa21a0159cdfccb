#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_executor.h"
#include "tests/support/faulty_job_store.h"
#include "tests/support/test_io.h"
#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/redact.h"
#include "waybill/engine/engine.h"
#include "waybill/storage/database.h"
#include "waybill/storage/files/log_store.h"
#include "waybill/storage/files/result_store.h"

namespace waybill::engine {

// An engine, or several, on a SQLite file, with a fake executor, a clock that stands still and a catalog of
// one command `fake` (and `sync`, its synchronous twin) on one cluster `here`.
class EngineTest : public ::testing::Test {
 protected:
  EngineTest();
  ~EngineTest() override;

  // Makes and starts an engine; the last one made is engine().
  Engine& start(const std::string& instance = "a", const std::string& host = "host-a");
  // Likewise, once, with the options' own host; why it could not.
  absl::Status start_status(const std::string& instance);
  Engine& engine() { return *engines_.back(); }
  // It goes away where it stands, as with kill -9.
  void crash(Engine& engine);
  void crash() { crash(engine()); }
  void stop(Engine& engine);

  [[nodiscard]] static domain::JobSpec spec(const std::string& name = "job",
                                            const std::string& tag = "type:fake");
  [[nodiscard]] static domain::Caller caller(const std::string& name = "alice", bool admin = false);
  [[nodiscard]] absl::StatusOr<Submitted> try_submit(domain::JobSpec spec, domain::Caller by = caller(),
                                                     const std::string& key = "");
  [[nodiscard]] JobId submit(domain::JobSpec spec = EngineTest::spec(), domain::Caller by = caller());
  [[nodiscard]] domain::Job job(const JobId& id);

  // Runs the io until it is so; the clock stands still.
  void wait_until(const std::function<bool()>& done, const std::string& what = "");
  domain::Job wait_for(const JobId& id, domain::JobStatus status);
  // Likewise, with the clock going on by `step` again and again.
  void advance_until(absl::Duration step, const std::function<bool()>& done, const std::string& what = "");
  domain::Job advance_to(const JobId& id, domain::JobStatus status, absl::Duration step = absl::Seconds(1));
  domain::Job advance_to_end(const JobId& id, absl::Duration step = absl::Seconds(1));
  void advance(absl::Duration duration);
  // Lets everything run that can without the clock.
  void settle();
  void end_run(const JobId& id, ports::RunPhase phase = ports::RunPhase::kSucceeded,
               const std::string& error = "", int attempt = 1);

  template <class T>
  T run(Task<T> task) {
    return io_.run(std::move(task));
  }
  [[nodiscard]] std::vector<std::string> history(const JobId& id);  // "NEW", "ACCEPTED", …

  domain::Command command_;  // of the base: edit before start()
  domain::Command sync_;
  domain::Cluster cluster_;
  [[nodiscard]] domain::Catalog base() const;

  testing::TestIo io_;
  testing::FakeClock clock_{io_.context()};
  std::filesystem::path directory_;
  Log log_{LogLevel::kError};
  Redactor redactor_;
  Pool pool_{1};
  EngineOptions options_;
  std::unique_ptr<storage::Storage> storage_;
  std::unique_ptr<testing::FaultyJobStore> jobs_;
  std::unique_ptr<storage::FileLogStore> logs_;
  std::unique_ptr<storage::FileResultStore> results_;
  ports::Executors executors_;
  testing::FakeExecutor* fake_ = nullptr;

 private:
  absl::Status start_one(EngineOptions options);

  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace waybill::engine
