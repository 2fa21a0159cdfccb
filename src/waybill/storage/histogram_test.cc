#include "waybill/storage/histogram.h"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(HistogramTest, TheMiddleOfABucketIsWithinTenPercentOfAllInIt) {
  for (double milliseconds = 1.5; milliseconds < 1e9; milliseconds *= 1.07) {
    const absl::Duration duration = absl::Milliseconds(milliseconds);
    const absl::Duration middle = middle_of(bucket_of(duration));
    EXPECT_LE(absl::AbsDuration(middle - duration), duration * 0.1) << absl::FormatDuration(duration);
  }
}

TEST(HistogramTest, NothingIsBelowTheFirstBucket) {
  EXPECT_EQ(bucket_of(absl::ZeroDuration()), 0);
  EXPECT_EQ(bucket_of(absl::Seconds(-5)), 0);
  EXPECT_EQ(bucket_of(absl::Milliseconds(1)), 0);
}

TEST(HistogramTest, AQuantileCountsFromTheShortest) {
  const std::int64_t second = bucket_of(absl::Seconds(1));
  const std::int64_t minute = bucket_of(absl::Minutes(1));
  EXPECT_EQ(quantile({{second, 95}, {minute, 5}}, 0.95), middle_of(second));
  EXPECT_EQ(quantile({{second, 94}, {minute, 6}}, 0.95), middle_of(minute));
  EXPECT_EQ(quantile({{second, 1}}, 0.5), middle_of(second));
}

TEST(HistogramTest, JobsThatNeverStartedHaveNoQuantile) {
  EXPECT_FALSE(quantile({{kNoDuration, 7}}, 0.5).has_value());
  EXPECT_FALSE(quantile({}, 0.5).has_value());
  EXPECT_EQ(quantile({{kNoDuration, 700}, {3, 1}}, 0.5), middle_of(3));
}

}  // namespace
}  // namespace waybill::storage
