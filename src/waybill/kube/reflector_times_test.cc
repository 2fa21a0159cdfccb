#include <gmock/gmock.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "waybill/kube/reflector_kit.h"

namespace waybill::kube {
namespace {

using ::testing::ElementsAre;

TEST_F(ReflectorTest, ReflectorPoint10_AWatchdogEndsAWatchThatIsSilentForLongerThanItWasToLast) {
  list_of_one();
  auto watch = prepare();
  start();
  const int timeout = std::stoi(parameter(request(1), "timeoutSeconds"));
  clock_.advance(absl::Seconds(100));
  watch->push(bookmark(11));
  settle();
  clock_.advance(absl::Seconds(timeout + 29));
  settle();
  EXPECT_FALSE(watch->canceled()) << "the bookmark proved that it lives";
  clock_.advance(absl::Seconds(2));
  settle();
  EXPECT_TRUE(watch->canceled());
  until_requests(3);
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "11");
  EXPECT_EQ(reflector_->metrics().watchdog_ends, 1U);
}

TEST_F(ReflectorTest, ReflectorPoint12_RetryAfterIsHonouredWithJitterAndWithoutAList) {
  list_of_one();
  prepare()->fail(refusal(429, "TooManyRequests", R"({"retryAfterSeconds":7})"));
  prepare()->fail(refusal(503, "ServiceUnavailable", "{}", "20"));
  start();
  const absl::Duration first = until_requests(3);
  EXPECT_GE(first, absl::Seconds(7));
  EXPECT_LE(first, absl::Seconds(10.6));
  const absl::Duration second = until_requests(4);
  EXPECT_GE(second, absl::Seconds(20));
  EXPECT_LE(second, absl::Seconds(30.1));
  EXPECT_TRUE(is_watch(2) && is_watch(3));
  EXPECT_EQ(notes_.count("begin"), 1U);
}

TEST_F(ReflectorTest, ReflectorPoint12_APageThatIsThrottledIsAskedForAgainNotTheWholeList) {
  prepare()->push(list(10, {object("a", 4)}, "more")).finish();
  prepare()->fail(refusal(429, "TooManyRequests", R"({"retryAfterSeconds":1})"));
  prepare()->push(list(10, {object("b", 5)})).finish();
  start();
  until_requests(4);
  EXPECT_EQ(parameter(request(2), "continue"), "more");
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "item b@5", "end 10"));
}

TEST_F(ReflectorTest, ReflectorPoint12_OtherFailuresBackOffExponentiallyUpToThirtySeconds) {
  for (int failure = 0; failure < 14; ++failure) prepare()->fail(refusal(500, "InternalError"));
  start();
  absl::Duration bound = absl::Milliseconds(800);
  absl::Duration longest;
  for (std::size_t failure = 1; failure < 14; ++failure) {
    const absl::Duration waited = until_requests(failure + 1);
    EXPECT_LE(waited, bound + absl::Milliseconds(20)) << failure;
    longest = std::max(longest, waited);
    bound = std::min(bound * 2, absl::Seconds(30));
  }
  EXPECT_GT(longest, absl::Seconds(5)) << "it does grow";
}

TEST_F(ReflectorTest, ReflectorPoint12_OnlyTwoMinutesOfHealthResetTheBackoff) {
  for (int failure = 0; failure < 10; ++failure) prepare()->fail(refusal(500, "InternalError"));
  list_of_one();
  prepare()->fail(unavailable("at once"));
  prepare()->push(list(10, {})).finish();  // the question for the position
  auto healthy = prepare();
  start();
  until_requests(12);
  const absl::Duration still_long = until_requests(14);
  clock_.advance(absl::Minutes(2));
  healthy->fail(unavailable("after two minutes"));
  settle();
  const absl::Duration short_again = until_requests(15);
  EXPECT_LE(short_again, absl::Milliseconds(820));
  EXPECT_LE(still_long, absl::Seconds(31));
}

TEST_F(ReflectorTest, ReflectorPoint13_WhatCannotBeHandledIsADeadLetterAndTheStreamGoesOn) {
  list_of_one();
  notes_.answer = [](const std::string& line) {
    return line == "MODIFIED b@12" ? invalid("the rule failed") : absl::OkStatus();
  };
  prepare()
      ->push("garbage\n")
      .push(
          R"({"type":"ADDED","object":{"metadata":{"name":"bad","uid":"u","resourceVersion":"11"},"x":tru}})"
          "\n")
      .push(R"({"type":"ADDED","object":7})"
            "\n")
      .push(event("SOMETHING", object("c", 11)))
      .push(event("MODIFIED", object("b", 12)))
      .push(R"({"type":"ADDED","object":{"metadata":{"name":"\ud800","uid":"u","resourceVersion":"13"}}})"
            "\n")
      .push(event("ADDED", object("d", 14)));
  start();
  EXPECT_EQ(notes_.lines.back(), "ADDED d@14");
  EXPECT_EQ(notes_.letters.size(), 6U);
  EXPECT_EQ(notes_.letters[0].excerpt, "garbage");
  EXPECT_EQ(notes_.letters[1].name.name, "bad");
  EXPECT_EQ(notes_.letters[1].excerpt, "") << "it may hold somebody's secret";
  EXPECT_EQ(notes_.letters[4].reason, "the rule failed");
  EXPECT_EQ(reflector_->metrics().dead_letters, 6U);
  EXPECT_EQ(api_.requests().size(), 2U) << "the same watch";
}

TEST_F(ReflectorTest, ReflectorPoint14_NoiseAndNulAreGoneBeforeAnybodySeesTheObject) {
  list_of_one();
  prepare()->push(event(
      "ADDED",
      R"({"metadata":{"uid":"u","name":"n","resourceVersion":"11","managedFields":[{"time":"2026-05-28T20:26:30Z"}],)"
      R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x","kept":"y"}},"a\u0000b":"c\u0000"})"));
  start();
  ASSERT_EQ(notes_.objects.size(), 2U);
  EXPECT_EQ(
      boost::json::serialize(notes_.objects[1]),
      R"({"metadata":{"uid":"u","name":"n","resourceVersion":"11","annotations":{"kept":"y"}},"ab":"c"})");
}

TEST_F(ReflectorTest, ReflectorPoint17_ASlowSinkSlowsTheReaderDownAndNothingIsDropped) {
  list_of_one();
  auto watch = prepare();
  ports::Wakeup free(io_.executor());
  bool slow = false;
  notes_.work = [&]() -> Task<void> {
    if (slow) return free.wait();
    return []() -> Task<void> { co_return; }();
  };
  start();
  slow = true;
  for (int version = 11; version < 31; ++version) watch->push(event("ADDED", object("b", version)));
  settle();
  EXPECT_EQ(notes_.count_starting("ADDED"), 1U);
  EXPECT_EQ(watch->unread(), 19U) << "no more was read than the sink took";
  clock_.advance(absl::Hours(1));
  settle();
  EXPECT_FALSE(watch->canceled()) << "the watchdog looks at the server, not at the sink";
  for (int event_number = 0; event_number < 20; ++event_number) {
    free.notify();
    settle();
  }
  EXPECT_EQ(notes_.count_starting("ADDED"), 20U);
}

TEST_F(ReflectorTest, ReflectorPoint18_LivenessIsTheAgeOfWhatWasHeardLast) {
  list_of_one();
  auto watch = prepare();
  start();
  const absl::Time begun = clock_.now();
  const ReflectorMetrics& metrics = reflector_->metrics();
  EXPECT_EQ(metrics.state, ReflectorMetrics::State::kWatching);
  EXPECT_TRUE(metrics.synced);
  EXPECT_EQ(metrics.last_bookmark, absl::InfinitePast());
  clock_.advance(absl::Seconds(50));
  settle();
  EXPECT_EQ(metrics.last_heard, begun) << "that the loop runs proves nothing";
  watch->push(bookmark(11));
  settle();
  EXPECT_EQ(metrics.last_heard, begun + absl::Seconds(50));
  EXPECT_EQ(metrics.last_bookmark, begun + absl::Seconds(50));
  clock_.advance(absl::Seconds(5));
  const std::string written =
      absl::FormatTime(absl::RFC3339_full, clock_.now() - absl::Seconds(3), absl::UTCTimeZone());
  watch->push(event("ADDED", object("b", 12, R"(,"managedFields":[{"time":")" + written + R"("}])")));
  settle();
  EXPECT_EQ(metrics.event_lag, absl::Seconds(3));
  EXPECT_EQ(metrics.events, 1U);
  EXPECT_EQ(metrics.bookmarks, 1U);
  watch->fail(unavailable("broke"));
  settle();
  EXPECT_EQ(message(metrics.last_error), "broke");
  EXPECT_EQ(metrics.state, ReflectorMetrics::State::kWaiting);
}

TEST_F(ReflectorTest, ReflectorPoint21_TheTimesAreParameters) {
  options_.times.backoff_first = absl::Seconds(100);
  options_.times.backoff_most = absl::Seconds(100);
  options_.times.watch_least = absl::Seconds(20);
  options_.times.watch_most = absl::Seconds(20);
  options_.times.watchdog_slack = absl::Seconds(1);
  list_of_one();
  auto watch = prepare();
  start();
  EXPECT_EQ(parameter(request(1), "timeoutSeconds"), "20");
  clock_.advance(absl::Seconds(21));
  settle();
  EXPECT_TRUE(watch->canceled());
  EXPECT_LE(until_requests(3), absl::Seconds(101));
}

TEST_F(ReflectorTest, StopEndsWhateverItWaitsFor) {
  start();  // a silent list
  stop();
  reflector_ = nullptr;
  ended_ = false;
  list_of_one();
  start();  // a silent watch
  stop();
  reflector_ = nullptr;
  ended_ = false;
  prepare()->fail(unavailable("down"));
  start();  // a pause
  EXPECT_EQ(reflector_->metrics().state, ReflectorMetrics::State::kWaiting);
  stop();
  EXPECT_EQ(reflector_->metrics().state, ReflectorMetrics::State::kStopped);
}

TEST_F(ReflectorTest, ListAgainEndsTheWatchAndListsOnce) {
  list_of_one();
  auto watch = prepare();
  list_of_one();
  start();
  reflector_->list_again();
  settle();
  EXPECT_TRUE(watch->canceled());
  EXPECT_EQ(notes_.count("end 10"), 2U);
  EXPECT_EQ(api_.requests().size(), 4U);
}

}  // namespace
}  // namespace waybill::kube
