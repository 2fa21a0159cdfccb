#include "waybill/engine/directory_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "waybill/base/status.h"

namespace waybill::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const DatabaseMark kOurs{.id = "11111111-1111-4111-8111-111111111111", .name = "sqlite:./waybill.db"};
const DatabaseMark kOther{.id = "22222222-2222-4222-8222-222222222222", .name = "postgres://u:***@db/w"};

class MarksTest : public ::testing::Test {
 protected:
  MarksTest() {
    std::string name = "/tmp/waybill-marks-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  ~MarksTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  absl::StatusOr<std::string> id(const std::string& directory) {
    return directory_id(directory, ids_, absl::FromUnixSeconds(1'780'000'000));
  }
  std::string directory_;
  IdGenerator ids_{1};
};

TEST_F(MarksTest, ADirectoryHasOneIdByWhateverPath) {
  std::filesystem::create_directory_symlink(directory_, directory_ + "-link");
  const auto first = id(directory_);
  const auto linked = id(directory_ + "-link");
  std::filesystem::remove(directory_ + "-link");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(is_uuid(*first));
  ASSERT_TRUE(linked.ok()) << linked.status();
  EXPECT_EQ(*linked, *first);
  EXPECT_NE(*id(directory_ + "/other"), *first);
}

TEST_F(MarksTest, TheDatabaseThatCameFirstHasTheDirectory) {
  EXPECT_TRUE(claim_directory("jobs_directory", directory_, kOurs).ok());
  EXPECT_TRUE(claim_directory("jobs_directory", directory_, kOurs).ok());
  const absl::Status refused = claim_directory("jobs_directory", directory_, kOther);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(refused), AllOf(HasSubstr("jobs_directory " + directory_), HasSubstr(kOurs.name),
                                      HasSubstr(kOurs.id), HasSubstr(kOther.name), HasSubstr(kOther.id),
                                      HasSubstr(directory_ + "/.instances/database")));
}

TEST_F(MarksTest, ADirectoryThatWasGivenUpIsFree) {
  ASSERT_TRUE(claim_directory("jobs_directory", directory_, kOurs).ok());
  ASSERT_TRUE(std::filesystem::remove(directory_ + "/.instances/database"));
  EXPECT_TRUE(claim_directory("jobs_directory", directory_, kOther).ok());
}

TEST_F(MarksTest, ADatabaseKeepsItsDirectoryUnderAnotherName) {
  ASSERT_TRUE(claim_directory("jobs_directory", directory_, kOurs).ok());
  EXPECT_TRUE(claim_directory("jobs_directory", directory_, {kOurs.id, "sqlite:/elsewhere/waybill.db"}).ok());
}

TEST_F(MarksTest, AMarkThatIsNoMarkIsRefused) {
  std::filesystem::create_directories(directory_ + "/.instances");
  const std::string mark = directory_ + "/.instances/database";
  std::ofstream(mark) << "nonsense\n";
  EXPECT_EQ(claim_directory("jobs_directory", directory_, kOurs).code(), absl::StatusCode::kUnavailable);
  std::filesystem::remove(mark);
  ASSERT_EQ(::mkfifo(mark.c_str(), 0600), 0);
  const absl::Status pipe = claim_directory("jobs_directory", directory_, kOurs);
  EXPECT_EQ(pipe.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(message(pipe), HasSubstr(mark));
}

}  // namespace
}  // namespace waybill::engine
