#include "waybill/cli/times.h"

#include <gtest/gtest.h>

namespace waybill::cli {
namespace {

TEST(TimesTest, AgesAreWholeUnits) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {-5, "0s"},   {0, "0s"},       {119, "119s"},  {120, "2m"},          {7199, "119m"},
      {7200, "2h"}, {172799, "47h"}, {172800, "2d"}, {86400 * 400, "400d"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(age_text(absl::Seconds(seconds)), text);
}

TEST(TimesTest, DurationsHaveTwoUnits) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {-1, "0ms"},       {85, "85ms"},       {999, "999ms"},       {3412, "3.4s"},
      {59'999, "59.9s"}, {125'000, "2m05s"}, {3'720'000, "1h02m"}, {273'600'000, "3d04h"}};
  for (const auto& [milliseconds, text] : cases)
    EXPECT_EQ(duration_text(absl::Milliseconds(milliseconds)), text);
}

TEST(TimesTest, TimesAreAgesOrUtc) {
  const absl::Time time = absl::FromUnixSeconds(1'780'000'000);  // 2026-05-28T20:26:40Z
  EXPECT_EQ(time_text(time, TimeForm::kAge, time + absl::Minutes(5)), "5m");
  EXPECT_EQ(time_text(time, TimeForm::kUtc, time), "2026-05-28T20:26:40Z");
  EXPECT_EQ(time_text(std::nullopt, TimeForm::kUtc, time), "");
}

}  // namespace
}  // namespace waybill::cli
