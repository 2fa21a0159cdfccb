#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/test_io.h"
#include "waybill/storage/files/job_files.h"
#include "waybill/storage/files/log_file.h"
#include "waybill/storage/files/log_store.h"
#include "waybill/storage/files/result_store.h"

namespace waybill::storage {
namespace {

namespace fs = std::filesystem;
using ports::LogStream;

const JobId kJob("0191d2a0-0000-7000-8000-000000000001");
const JobId kOther("0191d2a0-0000-7000-8000-000000000002");

class Stores : public ::testing::Test {
 protected:
  ~Stores() override {
    pool_.join();
    fs::remove_all(path_);
  }
  void write_log(const JobId& id, int attempt, const char* name, const std::string& text) {
    fs::create_directories(path_ / "jobs");
    const UniqueFd directory = open_folder((path_ / "jobs").string(), job_folder(id.str(), attempt), true);
    LogWriter(directory.get(), name, 1 << 20).append(text.data(), text.size());
  }

  static fs::path make_folder() {
    std::string name = "/tmp/waybill-files-XXXXXX";
    return ::mkdtemp(name.data());
  }

  fs::path path_ = make_folder();
  waybill::testing::TestIo io_;
  Pool pool_{1};
  FileLogStore logs_{pool_, path_ / "jobs"};
  FileResultStore results_{pool_, path_ / "results"};
};

TEST_F(Stores, ALogIsReadByAttemptAndStream) {
  write_log(kJob, 1, "stdout", "first\n");
  write_log(kJob, 2, "stdout", "second\nline\n");
  EXPECT_EQ(io_.run(logs_.read(kJob, 1, LogStream::kStdout, 0, 100))->bytes, "first\n");
  const auto chunk = io_.run(logs_.read(kJob, 2, LogStream::kStdout, 2, 3));
  EXPECT_EQ(chunk->bytes, "con");
  EXPECT_EQ(chunk->next, 5U);
  EXPECT_EQ(io_.run(logs_.info(kJob, 2, LogStream::kStdout))->size, 12U);
  EXPECT_EQ(*io_.run(logs_.tail(kJob, 2, LogStream::kStdout, 1)), 7U);
  EXPECT_EQ(io_.run(logs_.read(kJob, 2, LogStream::kStdout, 12, 100))->bytes, "");
}

TEST_F(Stores, WhatIsNotThereIsNotFound) {
  const auto code = [&](const JobId& id, int attempt, LogStream stream) {
    return io_.run(logs_.info(id, attempt, stream)).status().code();
  };
  EXPECT_EQ(code(kJob, 1, LogStream::kStdout), absl::StatusCode::kNotFound);
  write_log(kJob, 1, "stdout", "x");
  EXPECT_EQ(code(kJob, 1, LogStream::kStderr), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(kJob, 2, LogStream::kStdout), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(kJob, 0, LogStream::kStdout), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(JobId("../jobs"), 1, LogStream::kStdout), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(JobId(""), 1, LogStream::kStdout), absl::StatusCode::kNotFound);
  EXPECT_EQ(io_.run(results_.get(kJob)).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(Stores, RemovingAJobTakesEverythingOfItAndNothingElse) {
  write_log(kJob, 1, "stdout", "x");
  write_log(kOther, 1, "stdout", "y");
  fs::create_directories(path_ / "jobs" / runs_folder(kJob.str()) / "1");
  const fs::path closed = path_ / "jobs" / kJob.str() / "closed";
  fs::create_directories(closed / "inner");
  fs::permissions(closed, fs::perms::none);
  fs::create_directory_symlink(path_ / "jobs" / kOther.str(), path_ / "jobs" / kJob.str() / "link");
  EXPECT_TRUE(io_.run(logs_.remove(kJob)).ok());
  EXPECT_TRUE(io_.run(logs_.remove(kJob)).ok());
  EXPECT_FALSE(fs::exists(path_ / "jobs" / kJob.str()));
  EXPECT_FALSE(fs::exists(path_ / "jobs" / runs_folder(kJob.str())));
  EXPECT_EQ(io_.run(logs_.read(kOther, 1, LogStream::kStdout, 0, 100))->bytes, "y");
  EXPECT_TRUE(io_.run(logs_.remove(JobId("."))).ok());
  EXPECT_TRUE(fs::exists(path_ / "jobs"));
}

TEST_F(Stores, JobsWithFilesComeInOrderAndByPages) {
  std::vector<JobId> ids;
  for (int i = 10; i < 30; ++i) ids.emplace_back("0191d2a0-0000-7000-8000-0000000000" + std::to_string(i));
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) write_log(*id, 1, "stdout", "x");
  fs::create_directories(path_ / "jobs" / ".runs");
  fs::create_directories(path_ / "jobs" / "notes");
  EXPECT_THAT(*io_.run(logs_.jobs_with_files(JobId(), 3)), ::testing::ElementsAre(ids[0], ids[1], ids[2]));
  EXPECT_THAT(*io_.run(logs_.jobs_with_files(ids[17], 10)), ::testing::ElementsAre(ids[18], ids[19]));
}

TEST_F(Stores, AnEmptyHouseHasNoJobs) {
  EXPECT_TRUE(io_.run(logs_.jobs_with_files(JobId(), 3))->empty());
  EXPECT_TRUE(io_.run(logs_.remove(kJob)).ok());
}

TEST_F(Stores, AResultComesBackAsItWasPut) {
  auto table = std::make_shared<domain::ResultTable>();
  table->columns = {{.name = "n", .type = "int"}, {.name = "s", .type = ""}};
  table->rows = {boost::json::array{9007199254740993, "a\"<ü"}, boost::json::array{2.5, nullptr},
                 boost::json::array{1e21, boost::json::object{{"k", boost::json::array{1.0}}}}};
  const auto about = io_.run(results_.put(kJob, table));
  ASSERT_TRUE(about.ok()) << about.status();
  const auto text = io_.run(results_.get(kJob));
  EXPECT_EQ(*text,
            "{\"columns\":[{\"name\":\"n\",\"type\":\"int\"},{\"name\":\"s\"}],\"data\":"
            "[[9007199254740993,\"a\\\"<ü\"],[2.5,null],[1e+21,{\"k\":[1]}]]}");
  EXPECT_EQ(about->at("rows").to_number<int>(), 3);
  EXPECT_EQ(about->at("bytes").to_number<std::size_t>(), text->size());
  EXPECT_EQ(fs::status(path_ / "results" / kJob.str() / "result.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  table->truncated = true;
  EXPECT_TRUE(io_.run(results_.put(kJob, table)).ok());
  EXPECT_THAT(*io_.run(results_.get(kJob)), ::testing::EndsWith("],\"truncated\":true}"));
  EXPECT_TRUE(io_.run(results_.remove(kJob)).ok());
  EXPECT_TRUE(io_.run(results_.remove(kJob)).ok());
  EXPECT_EQ(io_.run(results_.get(kJob)).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace waybill::storage
