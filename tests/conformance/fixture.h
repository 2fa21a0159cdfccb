#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/test_io.h"
#include "waybill/base/ids.h"
#include "waybill/base/log.h"
#include "waybill/base/status.h"
#include "waybill/storage/database.h"

namespace waybill::testing {

enum class Backend { kSqlite, kPostgres };

// An empty database of one kind for each test, with a clock that the test moves. Answers come on the test's
// thread.
class DatabaseTest : public ::testing::TestWithParam<Backend> {
 protected:
  DatabaseTest();
  ~DatabaseTest() override;

  // Another server on the same database (PostgreSQL), or after close() of the first.
  std::unique_ptr<storage::Storage> open(const std::string& instance = "a");
  void close() { storage_.reset(); }

  storage::Storage& db() { return *storage_; }
  ports::JobStore& jobs() { return storage_->jobs(); }
  template <class T>
  T wait(Task<T> task) {
    return io_.run(std::move(task));
  }

  // Moves the time that the database compares by.
  void advance(absl::Duration duration);

  // A job as submit makes it: NEW, user "ann", command "ping", cluster "local".
  domain::Job some_job(const std::string& name = "job");
  domain::Job insert(domain::Job job);
  domain::Job insert(const std::string& name = "job") { return insert(some_job(name)); }
  std::vector<domain::Job> claim(const std::string& by, int places = 100);
  domain::Job claim_one(const std::string& by);
  // The write of `change` to a job as it was read.
  absl::StatusOr<domain::Job> apply(const domain::Job& job, domain::JobState state);
  domain::JobState running(const domain::Job& job, const std::string& handle = "run-1");
  domain::JobState ended(const domain::Job& job, domain::JobStatus status, const std::string& error = "");
  domain::Job finished_job(const std::string& name, domain::JobStatus status = domain::JobStatus::kSucceeded);

  [[nodiscard]] bool on_postgres() const { return GetParam() == Backend::kPostgres; }
  // A statement for a test's own look at the rows; the first column.
  std::string sql(const std::string& statement);

  std::string folder_;    // of SQLite
  std::string database_;  // of PostgreSQL
  TestIo io_;
  FakeClock clock_{io_.context()};
  Log log_{LogLevel::kError};
  IdGenerator ids_{7};
  std::string connection_;
  std::unique_ptr<storage::Storage> storage_;
};

[[nodiscard]] std::string backend_name(const ::testing::TestParamInfo<Backend>& info);

MATCHER(IsOk, "") {
  const absl::Status status = ::waybill::internal::as_status(arg);
  *result_listener << status.ToString();
  return status.ok();
}
MATCHER_P(StatusIs, code, "") {
  const absl::Status status = ::waybill::internal::as_status(arg);
  *result_listener << status.ToString();
  return status.code() == code;
}

#define WB_EVERY_BACKEND(suite)                                                                       \
  INSTANTIATE_TEST_SUITE_P(Databases, suite, ::testing::Values(Backend::kSqlite, Backend::kPostgres), \
                           backend_name)

}  // namespace waybill::testing
