#include "waybill/base/time.h"

#include <gtest/gtest.h>

#include <string>

#include "waybill/base/status.h"

namespace waybill {
namespace {

TEST(FormatTime, IsRfc3339InUtcWithMilliseconds) {
  EXPECT_EQ(format_time(absl::UnixEpoch()), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(absl::FromUnixMillis(1'782'907'200'123)), "2026-07-01T12:00:00.123Z");
}

TEST(ParseTime, TakesOffsetsFractionsDatesAndUnixSeconds) {
  const absl::Time noon = absl::FromUnixSeconds(1'782'907'200);
  for (const char* text :
       {"2026-07-01T12:00:00Z", "2026-07-01T14:00:00+02:00", "2026-07-01T12:00:00.000Z", "1782907200"}) {
    const auto time = parse_time(text);
    ASSERT_TRUE(time.ok()) << text << ": " << time.status();
    EXPECT_EQ(*time, noon) << text;
  }
  EXPECT_EQ(*parse_time("2026-07-01"), noon - absl::Hours(12));
  EXPECT_EQ(*parse_time("1782907200.5"), noon + absl::Milliseconds(500));
}

TEST(ParseTime, RefusesTheRestWithARemedy) {
  for (const char* text :
       {"", "tomorrow", "-5", "1e9", "nan", "2026-13-01", "99999999999999999999", "2026-07-01T12:00:00"}) {
    const auto time = parse_time(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(message(time.status()).find("use RFC 3339"), std::string::npos);
  }
}

TEST(ParseDuration, TakesAUnitOrSeconds) {
  EXPECT_EQ(*parse_duration("90"), absl::Seconds(90));
  EXPECT_EQ(*parse_duration("90s"), absl::Seconds(90));
  EXPECT_EQ(*parse_duration("250ms"), absl::Milliseconds(250));
  EXPECT_EQ(*parse_duration("1.5m"), absl::Seconds(90));
  EXPECT_EQ(*parse_duration("2h"), absl::Hours(2));
  EXPECT_EQ(*parse_duration("1d"), absl::Hours(24));
  EXPECT_EQ(*parse_duration("0"), absl::ZeroDuration());
  for (const char* text : {"", "s", "-1s", "1w", "1h30m", "1e3", "inf", "nan"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

}  // namespace
}  // namespace waybill
