#include "waybill/engine/janitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
