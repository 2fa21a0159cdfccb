#include "waybill/cli/line_times.h"

#include <gtest/gtest.h>

namespace waybill::cli {
namespace {

const absl::Time kNoon = absl::FromUnixSeconds(1'782'907'200);  // 2026-07-01T12:00:00Z

TEST(LineTimesTest, ReadsTheUsualForms) {
  for (const char* line :
       {"2026-07-01T12:00:00Z hello", "2026-07-01 12:00:00 hello", "[2026-07-01 12:00:00] hello",
        "2026-07-01T14:00:00+02:00 x", "2026-07-01 12:00:00: x"}) {
    EXPECT_EQ(time_of_line(line), kNoon) << line;
  }
  EXPECT_EQ(time_of_line("2026-07-01 12:00:00,250 INFO"), kNoon + absl::Milliseconds(250));
  for (const char* line : {"", "hello", "2026-07-01", "12:00:00 2026-07-01", "2026-99-01 12:00:00"}) {
    EXPECT_EQ(time_of_line(line), std::nullopt) << line;
  }
}

TEST(LineTimesTest, DropsOlderLinesAndWhatBelongsToThem) {
  LineTimes times(kNoon);
  std::string out = times.pass("2026-07-01 11:59:59 old\n  its trace\n2026-07-01 12:0");
  out += times.pass("0:00 new\n  its trace\n2026-07-01 12:00:01 last");
  out += times.rest();
  EXPECT_EQ(out, "2026-07-01 12:00:00 new\n  its trace\n2026-07-01 12:00:01 last");
  EXPECT_FALSE(times.saw_no_time());
}

TEST(LineTimesTest, SaysWhenNoLineHadATime) {
  LineTimes times(kNoon);
  EXPECT_EQ(times.pass("one\ntwo\n"), "");
  EXPECT_TRUE(times.saw_no_time());
}

TEST(LineTimesTest, WithoutATimeEverythingPasses) {
  LineTimes times(absl::InfinitePast());
  EXPECT_EQ(times.pass("half a li"), "half a li");
}

TEST(LineTimesTest, LastLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\n", 5), "a\nb\n");
  EXPECT_EQ(last_lines("a\nb\n", 0), "");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("\n\n", 1), "\n");
}

}  // namespace
}  // namespace waybill::cli
