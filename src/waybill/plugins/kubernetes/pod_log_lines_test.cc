#include "waybill/plugins/kubernetes/pod_log_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace waybill::plugins {
namespace {

const char kLog[] =
    "2026-03-03T10:00:00.000000001Z one\n"
    "2026-03-03T10:00:00.000000002Z two a\n"
    "2026-03-03T10:00:00.000000002Z two b\n"
    "2026-03-03T10:00:00.000000002Z \n"
    "2026-03-03T10:00:07.5Z three with 2026-03-03T10:00:00Z inside\n"
    "2026-03-03T10:00:08Z last";
const char kText[] = "one\ntwo a\ntwo b\n\nthree with 2026-03-03T10:00:00Z inside\nlast";

TEST(PodLogLines, TimesAreTakenOff) {
  PodLogLines lines({}, 0);
  EXPECT_EQ(lines.take(kLog) + lines.finish(), kText);
  EXPECT_EQ(lines.position().offset, sizeof kText - 1);
  EXPECT_EQ(lines.position().time, "2026-03-03T10:00:08Z");
  EXPECT_EQ(lines.position().bytes, 4U);
}

// Wherever the connection breaks, in whatever pieces bytes come, and whatever of it the next stream begins
// with.
TEST(PodLogLines, EveryBreakIsGoneOverWithoutGapOrDouble) {
  const std::string log = kLog;
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    for (std::size_t piece : {1U, 7U, 1000U}) {
      PodLogLines first({}, 0);
      std::string text = first.take(log.substr(0, cut));
      const LogPosition position = parse_position(to_text(first.position()));
      EXPECT_EQ(position, first.position());
      EXPECT_EQ(position.offset, text.size());
      // The server may begin with any line up to the position's time: here with the whole log.
      PodLogLines second(position, 0);
      for (std::size_t at = 0; at < log.size(); at += piece) text += second.take(log.substr(at, piece));
      text += second.finish();
      ASSERT_EQ(text, kText) << "cut at " << cut;
      EXPECT_EQ(second.position().offset, text.size());
    }
  }
}

// The position was stored some bytes before the process ended.
TEST(PodLogLines, WhatWasArchivedAfterTheStoredPositionComesOnce) {
  const std::string log = kLog;
  const std::string whole = kText;
  for (std::size_t stored = 0; stored <= log.size(); stored += 3) {
    PodLogLines first({}, 0);
    std::string text = first.take(log.substr(0, stored));
    const LogPosition position = first.position();
    for (std::size_t archived = text.size(); archived <= whole.size(); ++archived) {
      PodLogLines second(position, archived - position.offset);
      std::string rest = second.take(log);
      rest += second.finish();
      ASSERT_EQ(whole.substr(0, archived) + rest, whole) << stored << " " << archived;
    }
  }
}

TEST(PodLogLines, WhatHasNoTimeIsKeptAsItIs) {
  PodLogLines lines({}, 0);
  std::string text = lines.take("unable to retrieve container logs\n\nx\n");
  text += lines.finish();
  EXPECT_EQ(text, "unable to retrieve container logs\n\nx\n");
}

TEST(PodLogLines, ALineWithoutABlankIsNoTime) {
  const std::string log(100'000, '7');
  PodLogLines lines({}, 0);
  std::string text = lines.take(log);
  text += lines.finish();
  EXPECT_EQ(text, log);
}

TEST(PodLogLines, NonsenseIsTheBeginning) {
  for (const char* text : {"", "x", "- - -", "   ", "1"}) {
    EXPECT_EQ(parse_position(text).time, "") << text;
    EXPECT_EQ(parse_position(text).lines, 0U) << text;
  }
}

}  // namespace
}  // namespace waybill::plugins
