#include "waybill/kube/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <set>
#include <string>

#include "tests/support/fake_kube_api.h"
#include "tests/support/test_io.h"
#include "tests/support/watch_notes.h"

// The points of "what a correct list and watch does", each on its own, with a scripted API and a clock that
// the test moves.
namespace waybill::kube {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using waybill::testing::FakeFeed;
using waybill::testing::parameter;

std::string object(const std::string& name, int version, const std::string& more = "") {
  return R"({"metadata":{"uid":"u-)" + name + R"(","name":")" + name + R"(","resourceVersion":")" +
         std::to_string(version) + "\"" + more + "}}";
}
std::string event(const std::string& type, const std::string& what) {
  return R"({"type":")" + type + R"(","object":)" + what + "}\n";
}
std::string bookmark(int version, bool end = false) {
  const std::string mark = end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version) + "\"" +
         mark + "}}}\n";
}
std::string status_object(int code, const std::string& reason, const std::string& details = "{}") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"said so","reason":")" + reason +
         R"(","details":)" + details + R"(,"code":)" + std::to_string(code) + "}";
}
std::string list(int version, const std::vector<std::string>& items, const std::string& token = "") {
  std::string joined;
  for (const std::string& item : items) joined += (joined.empty() ? "" : ",") + item;
  return R"({"items":[)" + joined + R"(],"kind":"PodList","metadata":{"resourceVersion":")" +
         std::to_string(version) + R"(","continue":")" + token + R"("}})";
}
absl::Status refusal(int code, const std::string& reason, const std::string& details = "{}",
                     const std::string& retry_after = "") {
  return to_status(parse_api_error(code, status_object(code, reason, details), retry_after), "GET");
}

class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest()
      : clock_(io_.context()),
        api_(io_.executor(), [this](const ApiRequest& request) { return next(request); }) {
    options_.listing.resource = pods();
    options_.listing.name_space = "ns";
    options_.streaming_lists = false;
  }
  ~ReflectorTest() override {
    if (reflector_ != nullptr) stop();
  }

  // The feed of the next request; requests take them in that order, later ones are silent.
  std::shared_ptr<FakeFeed> prepare() {
    auto feed = api_.feed();
    prepared_.push_back(feed);
    return feed;
  }
  std::shared_ptr<FakeFeed> next(const ApiRequest&) {
    auto feed = prepared_.empty() ? api_.feed() : prepared_.front();
    if (!prepared_.empty()) prepared_.pop_front();
    return feed;
  }
  void start() {
    reflector_ = std::make_unique<Reflector>(io_.executor(), api_, clock_, log_, options_, notes_);
    boost::asio::co_spawn(io_.context(), reflector_->run(), [this](std::exception_ptr) { ended_ = true; });
    settle();
  }
  void settle() {
    for (int round = 0; round < 3; ++round) io_.drain();
  }
  void stop() {
    reflector_->stop();
    io_.wait_until([this] { return ended_; });
    settle();
  }
  // Moves the clock in small steps until so many requests were made; answers how long that took.
  absl::Duration until_requests(std::size_t count, absl::Duration step = absl::Milliseconds(10)) {
    absl::Duration passed;
    while (api_.requests().size() < count && passed < absl::Hours(1)) {
      clock_.advance(step);
      passed += step;
      settle();
    }
    return passed;
  }
  const ApiRequest& request(std::size_t number) { return api_.requests().at(number); }
  bool is_watch(std::size_t number) { return parameter(request(number), "watch") == "1"; }
  void list_of_one() { prepare()->push(list(10, {object("a", 4)})).finish(); }

  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_;
  waybill::testing::FakeKubeApi api_;
  Log log_{LogLevel::kError};
  ReflectorOptions options_;
  waybill::testing::WatchNotes notes_;
  std::unique_ptr<Reflector> reflector_;
  std::deque<std::shared_ptr<FakeFeed>> prepared_;
  bool ended_ = false;
};

TEST_F(ReflectorTest, ReflectorPoint01_ListsInPagesThenWatchesFromTheListsVersion) {
  prepare()->push(list(10, {object("a", 4), object("b", 9)}, "more")).finish();
  prepare()->push(list(10, {object("c", 2)})).finish();
  options_.listing.label_selector = "app,tier!=x";
  start();

  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "item b@9", "item c@2", "end 10"));
  ASSERT_EQ(api_.requests().size(), 3U);
  EXPECT_EQ(request(0).path, "/api/v1/namespaces/ns/pods");
  EXPECT_EQ(parameter(request(0), "limit"), "500");
  EXPECT_EQ(parameter(request(0), "labelSelector"), "app,tier!=x");
  EXPECT_EQ(parameter(request(1), "continue"), "more");
  EXPECT_TRUE(is_watch(2));
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "10");
  EXPECT_EQ(parameter(request(2), "labelSelector"), "app,tier!=x");
}

TEST_F(ReflectorTest, ReflectorPoint02_A410InsideA200ListsAgainBeforeItWatches) {
  list_of_one();
  prepare()->push(event("ADDED", object("b", 11))).push(event("ERROR", status_object(410, "Expired")));
  prepare()->push(list(20, {object("b", 11)})).finish();
  start();
  until_requests(4);

  EXPECT_THAT(notes_.lines,
              ElementsAre("begin", "item a@4", "end 10", "ADDED b@11", "begin", "item b@11", "end 20"));
  EXPECT_FALSE(is_watch(2));
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "");
  EXPECT_TRUE(is_watch(3));
  EXPECT_EQ(parameter(request(3), "resourceVersion"), "20");
  EXPECT_EQ(reflector_->metrics().relists, 1U);
}

TEST_F(ReflectorTest, ReflectorPoint02_A410AsTheStatusOfTheWatchListsAgain) {
  list_of_one();
  prepare()->fail(refusal(410, "Gone"));
  list_of_one();
  start();
  until_requests(3);
  EXPECT_FALSE(is_watch(2));
  EXPECT_EQ(notes_.count("end 10"), 2U);
}

TEST_F(ReflectorTest, ReflectorPoint03_WatchesThatEndAtOnceAreSuspectAndAfterThreeItListsAgain) {
  list_of_one();
  for (int watch = 0; watch < 3; ++watch) prepare()->finish();
  list_of_one();
  start();
  EXPECT_EQ(api_.requests().size(), 2U) << "the first one backs off";
  until_requests(5);
  EXPECT_TRUE(is_watch(1) && is_watch(2) && is_watch(3));
  EXPECT_FALSE(is_watch(4));
  EXPECT_EQ(parameter(request(3), "resourceVersion"), "10");
}

TEST_F(ReflectorTest, ReflectorPoint04_AnExpiredContinueTokenRestartsTheListAndConcludesNothing) {
  prepare()->push(list(10, {object("a", 4)}, "more")).finish();
  prepare()->fail(refusal(410, "Expired"));
  prepare()->push(list(12, {object("a", 4), object("b", 5)})).finish();
  start();
  until_requests(4);
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "begin", "item a@4", "item b@5", "end 12"));
  EXPECT_EQ(parameter(request(2), "continue"), "");
}

TEST_F(ReflectorTest, ReflectorPoint04_AListThatBreaksOffOrIsRefusedNeverEnds) {
  prepare()->push(R"({"items":[)" + object("a", 4)).finish();
  prepare()->push(R"({"items":[)" + object("a", 4) + ",").fail(unavailable("the connection broke"));
  prepare()->fail(refusal(403, "Forbidden"));
  prepare()->fail(refusal(404, "NotFound"));
  prepare()->push("<html>").finish();
  prepare()->push(R"({"kind":"PodList","items":[]})").finish();  // without a version
  list_of_one();
  start();
  until_requests(8);
  EXPECT_EQ(notes_.count_starting("end"), 1U);
  EXPECT_EQ(notes_.lines.back(), "end 10");
}

TEST_F(ReflectorTest, ReflectorPoint05_AVersionThatTheServerHasNotReachedListsAgainWithoutOne) {
  options_.start_at = "900";
  prepare()->fail(
      refusal(504, "Timeout", R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]})"));
  list_of_one();
  start();
  until_requests(3);
  EXPECT_EQ(parameter(request(0), "resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(parameter(request(0), "resourceVersion"), "900");
  EXPECT_FALSE(is_watch(1));
  EXPECT_EQ(parameter(request(1), "resourceVersion"), "");
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "10");
}

TEST_F(ReflectorTest, ReflectorPoint05_ABookmarkBelowThePositionMeansARestoredStoreAndListsAgain) {
  list_of_one();
  prepare()->push(bookmark(9));
  list_of_one();
  start();
  until_requests(3);
  EXPECT_FALSE(is_watch(2));
}

TEST_F(ReflectorTest, ReflectorPoint06_AStoredPositionGoesOnWithoutAList) {
  options_.start_at = "77";
  prepare()->push(list(80, {})).finish();
  prepare()->push(event("MODIFIED", object("a", 81)));
  start();
  EXPECT_THAT(notes_.lines, ElementsAre("MODIFIED a@81"));
  EXPECT_TRUE(is_watch(1));
  EXPECT_EQ(parameter(request(1), "resourceVersion"), "77");
}

TEST_F(ReflectorTest, ReflectorPoint06_VersionsOfUnorderedInitialEventsAreNoPositions) {
  options_.streaming_lists = true;
  prepare()
      ->push(event("ADDED", object("a", 90)) + event("ADDED", object("b", 4)))
      .fail(unavailable("broke"));
  prepare()->push(list(91, {object("a", 90)})).finish();
  start();
  until_requests(3);
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@90", "item b@4", "begin", "item a@90", "end 91"));
  EXPECT_EQ(parameter(request(1), "resourceVersion"), "");
}

TEST_F(ReflectorTest, ReflectorPoint07_ABookmarkOnlyMovesTheVersion) {
  list_of_one();
  prepare()->push(bookmark(15)).fail(unavailable("broke"));
  start();
  until_requests(3);
  EXPECT_EQ(notes_.lines.back(), "bookmark 15");
  EXPECT_EQ(parameter(request(1), "allowWatchBookmarks"), "true");
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "15") << "the question whether the server still has it";
}

TEST_F(ReflectorTest, ReflectorPoint07_AStreamingListEndsWithItsMark) {
  options_.streaming_lists = true;
  prepare()->push(event("ADDED", object("a", 4)) + bookmark(10, true) + event("ADDED", object("b", 11)));
  start();
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "end 10", "ADDED b@11"));
  EXPECT_EQ(parameter(request(0), "sendInitialEvents"), "true");
  EXPECT_EQ(parameter(request(0), "resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(api_.requests().size(), 1U);
}

TEST_F(ReflectorTest, ReflectorPoint07_WithoutTheMarkAPlainListComesInstead) {
  options_.streaming_lists = true;
  prepare()->push(event("ADDED", object("a", 4)));  // an older server, which then says nothing
  list_of_one();
  start();
  until_requests(3, absl::Seconds(1));
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "begin", "item a@4", "end 10"));
  EXPECT_EQ(parameter(request(1), "limit"), "500");
}

TEST_F(ReflectorTest, ReflectorPoint07_AServerThatRefusesStreamingListsIsNotAskedAgain) {
  options_.streaming_lists = true;
  prepare()->fail(refusal(422, "Invalid"));
  list_of_one();
  prepare()->push(event("ERROR", status_object(410, "Expired")));
  list_of_one();
  start();
  until_requests(4);
  EXPECT_EQ(parameter(request(1), "limit"), "500");
  EXPECT_EQ(parameter(request(3), "limit"), "500");
}

TEST_F(ReflectorTest, ReflectorPoint07_ADeletionWithinAStreamingListMakesItAPlainOne) {
  options_.streaming_lists = true;
  prepare()->push(event("ADDED", object("a", 4)) + event("DELETED", object("a", 5)) + bookmark(6, true));
  prepare()->push(list(7, {})).finish();
  start();
  until_requests(3);
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "begin", "end 7"));
}

TEST_F(ReflectorTest, ReflectorPoint08_TheEndOfAWatchIsNormalAndItAsksForFiveToTenMinutes) {
  list_of_one();
  auto feed = prepare();
  start();
  std::set<std::string> asked;
  for (std::size_t watch = 1; watch <= 12; ++watch) {
    ASSERT_EQ(api_.requests().size(), watch + 1) << "at once, without a pause";
    ASSERT_TRUE(is_watch(watch));
    const std::string timeout = parameter(request(watch), "timeoutSeconds");
    asked.insert(timeout);
    EXPECT_GE(std::stoi(timeout), 300);
    EXPECT_LE(std::stoi(timeout), 600);
    const auto ending = std::exchange(feed, prepare());
    clock_.advance(absl::Minutes(3));
    ending->finish();
    settle();
  }
  EXPECT_GT(asked.size(), 1U) << "it is random";
  EXPECT_TRUE(reflector_->metrics().last_error.ok());
  EXPECT_EQ(notes_.count("begin"), 1U);
}

TEST_F(ReflectorTest, ReflectorPoint09_ChunksMaySplitLinesAnywhere) {
  const std::string stream =
      event("ADDED", object("ä", 11)) + "\r\n" + event("MODIFIED", object("b", 12)) + bookmark(13);
  for (std::size_t split = 1; split < stream.size(); ++split) {
    notes_.lines.clear();
    options_.start_at = "10";
    prepare()->push(list(10, {})).finish();
    prepare()->push(stream.substr(0, split)).push(stream.substr(split));
    ended_ = false;
    start();
    EXPECT_THAT(notes_.lines, ElementsAre("ADDED ä@11", "MODIFIED b@12", "bookmark 13")) << split;
    stop();
    reflector_ = nullptr;
  }
}

TEST_F(ReflectorTest, ReflectorPoint09_APartialLastLineIsNoEvent) {
  list_of_one();
  std::string half = event("ADDED", object("b", 11));
  half.pop_back();
  prepare()->push(half).finish();
  start();
  until_requests(3);
  EXPECT_THAT(notes_.lines, ElementsAre("begin", "item a@4", "end 10"));
  EXPECT_EQ(parameter(request(2), "resourceVersion"), "10");
}

TEST_F(ReflectorTest, ReflectorPoint09_AnOversizeObjectIsPutAsideAndTheStreamGoesOn) {
  options_.object_limit = 4096;
  const std::string large = object("large", 11, R"(},"spec":{"x":")" + std::string(10'000, 'y') + "\"");
  prepare()
      ->push(
          list(10, {object("a", 4), object("big", 5, R"(},"spec":{"x":")" + std::string(9'000, 'y') + "\"")}))
      .finish();
  auto watch = prepare();
  const std::string line = event("MODIFIED", large);
  for (std::size_t at = 0; at < line.size(); at += 1000) watch->push(line.substr(at, 1000));
  watch->push(event("ADDED", object("b", 12)));
  start();

  EXPECT_EQ(notes_.lines.back(), "ADDED b@12");
  EXPECT_TRUE(notes_.has("end 10")) << "the list is complete all the same";
  ASSERT_EQ(notes_.letters.size(), 2U);
  EXPECT_EQ(notes_.letters[0].type, "LISTED");
  EXPECT_EQ(notes_.letters[0].name, (ObjectName{"u-big", "", "big", "5"}));
  EXPECT_EQ(notes_.letters[1].type, "MODIFIED");
  EXPECT_EQ(notes_.letters[1].name, (ObjectName{"u-large", "", "large", "11"}));
  EXPECT_EQ(notes_.letters[1].size, line.size() - 1);
  EXPECT_EQ(reflector_->metrics().dead_letters, 2U);
}

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
      json::serialize(notes_.objects[1]),
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
