#include "waybill/engine/shared_directories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

namespace waybill::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<ports::SharedDirectory> directories(const std::string& jobs, const std::string& results) {
  return {{"jobs_directory", "/" + jobs, jobs}, {"result_directory", "/" + results, results}};
}

TEST(SharedDirectoriesTest, EachDirectoryMustBeTheOthersToo) {
  const ports::Instance self{.id = InstanceId("self"),
                             .host = "h",
                             .roles = {},
                             .version = "",
                             .directories = directories("j", "r")};
  const auto with = [&](std::string id, std::vector<ports::SharedDirectory> theirs) {
    return check_shared_directories(self, {{.id = InstanceId(std::move(id)),
                                            .host = "host-b",
                                            .roles = {},
                                            .version = "",
                                            .directories = std::move(theirs)}});
  };
  EXPECT_TRUE(with("b", directories("j", "r")).ok());
  EXPECT_TRUE(with("b", {}).ok()) << "it works with none any more, or is an older version";
  EXPECT_TRUE(with("self", directories("x", "x")).ok()) << "its own row of before a restart";
  EXPECT_THAT(message(with("b", directories("x", "r"))),
              AllOf(HasSubstr("jobs_directory /j"), HasSubstr("instance b on host-b"), HasSubstr("(/x)")));
  EXPECT_THAT(message(with("b", directories("j", "x"))), HasSubstr("result_directory /r"));
}

class SharedDirectoriesEngineTest : public EngineTest {
 protected:
  absl::Status try_start(const std::string& instance, std::vector<ports::SharedDirectory> with) {
    options_.directories = std::move(with);
    return start_status(instance);
  }
};

TEST_F(SharedDirectoriesEngineTest, ASecondInstanceWithOtherDirectoriesIsRefusedWhileTheFirstLives) {
  ASSERT_TRUE(try_start("a", directories("j", "r")).ok());
  const absl::Status refused = try_start("b", directories("j2", "r"));
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(refused), HasSubstr("instance a on "));
  crash();
  EXPECT_TRUE(try_start("c", directories("j", "r")).ok());
}

TEST_F(SharedDirectoriesEngineTest, OneThatWasRefusedKeepsNobodyFromStarting) {
  ASSERT_TRUE(try_start("a", directories("j", "r")).ok());
  ASSERT_FALSE(try_start("b", directories("j2", "r")).ok());
  crash();
  crash();
  EXPECT_TRUE(try_start("a", directories("j", "r")).ok());
}

TEST_F(SharedDirectoriesEngineTest, AfterAStopOtherDirectoriesMayBeUsedAtOnce) {
  ASSERT_TRUE(try_start("a", directories("j", "r")).ok());
  stop(engine());
  EXPECT_TRUE(try_start("b", directories("j2", "r2")).ok());
}

TEST_F(SharedDirectoriesEngineTest, AfterACrashOtherDirectoriesMayBeUsedWhenTheLeaseIsOver) {
  ASSERT_TRUE(try_start("a", directories("j", "r")).ok());
  crash();
  EXPECT_FALSE(try_start("b", directories("j2", "r2")).ok());
  crash();
  advance(options_.lease + absl::Seconds(1));
  EXPECT_TRUE(try_start("b", directories("j2", "r2")).ok());
}

}  // namespace
}  // namespace waybill::engine
