#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {
namespace {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;

// What the writer did, seen by the test's thread. A commit of a group with the operation `held` does not end
// before release().
class Stage {
 public:
  std::string held;

  void begun(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    groups_[std::this_thread::get_id()].push_back(name);
  }
  void commit() {
    std::unique_lock lock(mutex_);
    committing_.push_back(std::exchange(groups_[std::this_thread::get_id()], {}));
    const Names& group = committing_.back();
    const bool is_held = std::find(group.begin(), group.end(), held) != group.end();
    changed_.notify_all();
    if (is_held) changed_.wait(lock, [this] { return released_; });
  }
  // The groups that came to their commit, once there are so many.
  std::vector<Names> wait_for(std::size_t groups) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return committing_.size() >= groups; });
    return committing_;
  }
  void release() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::thread::id, Names> groups_;
  std::vector<Names> committing_;
  bool released_ = false;
};

class StagedSession : public Session {
 public:
  explicit StagedSession(Stage& stage) : stage_(stage) {}
  absl::StatusOr<std::vector<Rows>> run(std::span<const Call> calls) override {
    return std::vector<Rows>(calls.size());
  }
  absl::Status run_script(const std::string&) override { return absl::OkStatus(); }
  absl::Status begin() override { return absl::OkStatus(); }
  absl::Status commit(std::span<const Call>) override {
    stage_.commit();
    return absl::OkStatus();
  }
  void rollback() override {}

 private:
  Stage& stage_;
};

class NamedOperation : public Operation {
 public:
  NamedOperation(Stage& stage, std::string name, std::size_t rows)
      : stage_(stage), name_(std::move(name)), rows_(rows) {}
  [[nodiscard]] std::size_t rows() const override { return rows_; }
  void start(Batch&) override { stage_.begun(name_); }
  void abandon() override {}
  void answer() override {}
  void fail(absl::Status status) override { FAIL() << name_ << ": " << status; }

 private:
  Stage& stage_;
  std::string name_;
  std::size_t rows_;
};

class WriterGroupsTest : public ::testing::Test {
 protected:
  void open(std::chrono::milliseconds wait_beside) {
    const WriterOptions options{.threads = 2, .rows_beside = 8, .wait_beside = wait_beside};
    writer_ = std::make_unique<Writer>([this] { return std::make_unique<StagedSession>(stage_); }, options,
                                       [](const std::vector<ports::ChangeNotice>&) {}, log_);
  }
  void add(const std::string& name, std::size_t rows) {
    writer_->add(std::make_unique<NamedOperation>(stage_, name, rows));
  }

  Log log_{LogLevel::kError};
  Stage stage_;
  std::unique_ptr<Writer> writer_;  // ends first
};

TEST_F(WriterGroupsTest, FewRowsWaitForTheGroupThatIsBeingWrittenAndManyGoBesideIt) {
  stage_.held = "first";
  open(std::chrono::hours(1));
  add("first", 1);
  stage_.wait_for(1);
  add("second", 1);
  add("third", 6);   // 7 rows
  add("fourth", 1);  // 8 rows: a group of their own
  EXPECT_THAT(stage_.wait_for(2), ElementsAre(Names{"first"}, Names{"second", "third", "fourth"}));
  add("fifth", 1);
  stage_.release();
  EXPECT_THAT(stage_.wait_for(3).back(), ElementsAre("fifth"));
}

TEST_F(WriterGroupsTest, FewRowsWaitForAnotherGroupOnlySoLong) {
  stage_.held = "first";
  open(std::chrono::milliseconds(1));
  add("first", 1);
  stage_.wait_for(1);
  add("second", 1);
  EXPECT_THAT(stage_.wait_for(2), ElementsAre(Names{"first"}, Names{"second"}));
  stage_.release();
}

TEST_F(WriterGroupsTest, WhatWasTakenIsWrittenBeforeItEnds) {
  open(std::chrono::hours(1));
  for (int n = 0; n < 20; ++n) add(std::to_string(n), 1);
  writer_.reset();
  std::size_t written = 0;
  for (const Names& group : stage_.wait_for(1)) written += group.size();
  EXPECT_EQ(written, 20U);
}

}  // namespace
}  // namespace waybill::storage
