#include "waybill/engine/janitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

namespace waybill::engine {
namespace {

using domain::JobStatus;

class JanitorTest : public EngineTest {
 protected:
  JanitorTest() {
    options_.roles = {"api", "worker", "janitor"};
    options_.retention = absl::Hours(24);
    fake_->ends_at_start = true;
  }
  std::filesystem::path folder(const JobId& id) { return directory_ / "jobs" / id.str(); }
  void put_log(const JobId& id) {
    std::filesystem::create_directories(folder(id));
    std::ofstream(folder(id) / "stdout") << "text\n";
  }
  bool is_known(const JobId& id) { return run(storage_->jobs().get(id)).ok(); }
};

TEST_F(JanitorTest, AnOldJobGoesWithItsFiles) {
  fake_->end.result = std::make_shared<domain::ResultTable>();
  start();
  const JobId old = submit();
  wait_for(old, JobStatus::kSucceeded);
  put_log(old);
  ASSERT_TRUE(run(results_->get(old)).ok());
  advance_until(absl::Hours(1), [&] { return !is_known(old); }, "the row to go");
  advance_until(absl::Minutes(1), [&] { return !std::filesystem::exists(folder(old)); }, "the files to go");
  advance_until(
      absl::Seconds(1), [&] { return run(storage_->jobs().tombstones(10))->empty(); }, "the tombstone to go");
  EXPECT_FALSE(run(results_->get(old)).ok());  // the tombstone stays until all that the job left is gone
}

TEST_F(JanitorTest, AKeyOutlivesTheJobsThatItIsAbout) {
  options_.idempotency = absl::Hours(24 * 30);
  start();
  const auto submit_again = [&] { return try_submit(spec(), caller(), "s"); };
  const auto first = submit_again();
  ASSERT_TRUE(first.ok()) << first.status();
  wait_for(first->job.id, JobStatus::kSucceeded);
  advance(absl::Hours(12));
  const auto rerun = [&] {
    return run(engine().submitter().rerun(first->job.id, std::nullopt, caller(), "r"));
  };
  const auto once = rerun();
  ASSERT_TRUE(once.ok()) << once.status();
  wait_for(once->job.id, JobStatus::kSucceeded);
  // The job that was run again is gone, the one that the rerun made is not: a repeat answers that one.
  advance_until(absl::Minutes(30), [&] { return !is_known(first->job.id); }, "the first job to go");
  ASSERT_TRUE(is_known(once->job.id));
  const auto again = rerun();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->job.id, once->job.id);
  EXPECT_FALSE(again->is_new);
  // Both are gone: nothing runs, and the answer says which job it was.
  EXPECT_EQ(error_word(submit_again().status()), "job_expired");
  advance_until(absl::Minutes(30), [&] { return !is_known(once->job.id); }, "the second job to go");
  const auto gone = rerun();
  EXPECT_EQ(error_word(gone.status()), "job_expired");
  EXPECT_THAT(message(gone.status()), ::testing::HasSubstr(once->job.id.str()));
  EXPECT_EQ(fake_->started.size(), 2U);
}

TEST_F(JanitorTest, AJobThatIsNotFinalIsNeverRemoved) {
  fake_->ends_at_start = false;
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  for (int i = 0; i < 30; ++i) advance(absl::Hours(2));
  EXPECT_TRUE(is_known(id));
}

TEST_F(JanitorTest, FilesWithoutARowAreSweptAndOthersStay) {
  start();
  const JobId known = submit();
  wait_for(known, JobStatus::kSucceeded);
  put_log(known);
  const JobId orphan("01890000-0000-7000-8000-000000000001");
  put_log(orphan);
  advance_until(absl::Minutes(1), [&] { return !std::filesystem::exists(folder(orphan)); }, "the sweep");
  EXPECT_TRUE(std::filesystem::exists(folder(known)));
}

}  // namespace
}  // namespace waybill::engine
