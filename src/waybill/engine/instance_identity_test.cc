#include "waybill/engine/instance_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::engine {
namespace {

class IdentityTest : public ::testing::Test {
 protected:
  IdentityTest() {
    std::string name = "/tmp/waybill-identity-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  ~IdentityTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  absl::StatusOr<InstanceIdentity> take() {
    return InstanceIdentity::take(directory_ + "/jobs", ids_, absl::FromUnixSeconds(1'780'000'000));
  }
  std::string directory_;
  IdGenerator ids_{1};
};

TEST_F(IdentityTest, TheIdOutlivesARestart) {
  InstanceId first;
  {
    const auto identity = take();
    ASSERT_TRUE(identity.ok()) << identity.status();
    first = identity->id();
    EXPECT_TRUE(is_uuid(first.str()));
  }
  const auto again = take();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->id(), first);
}

TEST_F(IdentityTest, ServersThatShareADirectoryAreDifferentOnesAndKeepTheirIdsOverARestart) {
  const auto first = take();
  ASSERT_TRUE(first.ok());
  InstanceId second;
  {
    const auto other = take();
    ASSERT_TRUE(other.ok()) << other.status();
    second = other->id();
    EXPECT_NE(second, first->id());
  }
  const auto again = take();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->id(), second);
}

TEST_F(IdentityTest, ServersThatShareADirectoryHaveOneHomeAndOthersOfTheHostAnother) {
  const auto first = take();
  const auto second = take();
  const auto stranger =
      InstanceIdentity::take(directory_ + "/other", ids_, absl::FromUnixSeconds(1'780'000'000));
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();
  ASSERT_TRUE(stranger.ok()) << stranger.status();
  EXPECT_EQ(second->home(), first->home());
  EXPECT_NE(stranger->home(), first->home());
}

TEST_F(IdentityTest, TheHomeOutlivesARestart) {
  std::string home;
  {
    const auto identity = take();
    ASSERT_TRUE(identity.ok()) << identity.status();
    home = identity->home();
  }
  const auto again = take();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->home(), home);
}

TEST_F(IdentityTest, ADirectoryWhoseIdIsDamagedIsRefused) {
  {
    ASSERT_TRUE(take().ok());
  }
  std::ofstream(directory_ + "/jobs/.instances/directory", std::ios::trunc) << "nonsense";
  const auto refused = take();
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(message(refused.status()), ::testing::HasSubstr("jobs/.instances/directory"));
}

TEST_F(IdentityTest, TheLockMovesWithTheObject) {
  auto first = take();
  ASSERT_TRUE(first.ok());
  const InstanceIdentity moved = *std::move(first);
  const auto other = take();
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->id(), moved.id());
}

TEST_F(IdentityTest, PastSixtyFourServersOfAHostTheDirectoryIsFull) {
  std::vector<InstanceIdentity> taken;
  for (int n = 0; n < 64; ++n) {
    auto one = take();
    ASSERT_TRUE(one.ok()) << one.status();
    taken.push_back(*std::move(one));
  }
  const auto refused = take();
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(refused.status()), ::testing::HasSubstr(directory_));
}

TEST_F(IdentityTest, ADamagedFileGetsANewId) {
  ASSERT_TRUE(take().ok());
  for (const auto& file : std::filesystem::directory_iterator(directory_ + "/jobs/.instances")) {
    if (file.path().filename() != "directory") std::ofstream(file.path()) << "rubbish\n";
  }
  const auto identity = take();
  ASSERT_TRUE(identity.ok());
  EXPECT_TRUE(is_uuid(identity->id().str()));
}

TEST_F(IdentityTest, ADirectoryThatCantBeUsedIsSaid) {
  std::ofstream(directory_ + "/jobs") << "a file\n";
  const auto identity = take();
  EXPECT_EQ(identity.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(message(identity.status()), ::testing::HasSubstr("jobs/.instances"));
}

}  // namespace
}  // namespace waybill::engine
