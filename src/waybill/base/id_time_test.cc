#include "waybill/base/id_time.h"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(TimeInId, IsTheMillisecondThatTheIdWasMadeIn) {
  EXPECT_EQ(time_in_id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), absl::FromUnixMillis(0x017F22E279B0));
  EXPECT_EQ(time_in_id("017f22e2-79b0-4cc3-98c4-dc0c0c07398f"), std::nullopt) << "version 4 has no time";
  EXPECT_EQ(time_in_id("job-1"), std::nullopt);
}

TEST(FirstIdAt, LiesBetweenTheIdsOfAMillisecondAndThoseBeforeIt) {
  const absl::Time time = absl::FromUnixMillis(0x017F22E279B0);
  EXPECT_EQ(first_id_at(time), "017f22e2-79b0");
  EXPECT_LT(first_id_at(time), "017f22e2-79b0-7000-8000-000000000000");
  EXPECT_GT(first_id_at(time), "017f22e2-79af-7fff-bfff-ffffffffffff");
  EXPECT_EQ(first_id_at(time + absl::Microseconds(1)), "017f22e2-79b1")
      << "what was made in between is before it";
  EXPECT_EQ(first_id_at(absl::InfinitePast()), "00000000-0000");
  EXPECT_EQ(first_id_at(absl::InfiniteFuture()), "ffffffff-ffff");
}

}  // namespace
}  // namespace waybill
