#include <gmock/gmock.h>

#include <set>
#include <string>

#include "waybill/kube/reflector_kit.h"

namespace waybill::kube {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace waybill::kube
