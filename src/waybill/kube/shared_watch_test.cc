#include "waybill/kube/shared_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "tests/support/fake_kube_api.h"
#include "tests/support/test_io.h"
#include "tests/support/watch_notes.h"

namespace waybill::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using waybill::testing::FakeFeed;
using waybill::testing::parameter;
using waybill::testing::WatchNotes;
using Joins = SharedWatches::Joins;

constexpr char kList[] =
    R"({"items":[{"metadata":{"uid":"u","name":"a","resourceVersion":"4"}}],"metadata":{"resourceVersion":"10"}})";

std::string added(const std::string& name, int version) {
  return R"({"type":"ADDED","object":{"metadata":{"uid":"u","name":")" + name + R"(","resourceVersion":")" +
         std::to_string(version) + "\"}}}\n";
}

class PassingApi : public Api {
 public:
  explicit PassingApi(Api& api) : api_(api) {}
  Task<absl::StatusOr<std::string>> send(ApiRequest request) override {
    return api_.send(std::move(request));
  }
  std::unique_ptr<ByteStream> open(ApiRequest request) override { return api_.open(std::move(request)); }

 private:
  Api& api_;
};

class SharedWatchTest : public ::testing::Test {
 protected:
  SharedWatchTest()
      : clock_(io_.context()),
        api_(
            io_.executor(),
            [this](const ApiRequest& request) {
              auto feed = api_.feed();
              if (parameter(request, "sendInitialEvents") == "true") {
                feed->push(
                    R"({"type":"ADDED","object":{"metadata":{"uid":"u","name":"a","resourceVersion":"4"}}})"
                    "\n");
                feed->push(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":)"
                           R"({"k8s.io/initial-events-end":"true"}}}})"
                           "\n");
                watch_ = feed;
              } else if (parameter(request, "watch") == "1") {
                watch_ = feed;
              } else {
                feed->push(kList).finish();
              }
              return feed;
            }),
        watches_(io_.executor(), clock_, log_) {
    key_.cluster = "dev";
    key_.resource = pods();
  }
  ~SharedWatchTest() override { settle(); }
  void settle() {
    for (int round = 0; round < 3; ++round) io_.drain();
  }

  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_;
  waybill::testing::FakeKubeApi api_;
  Log log_{LogLevel::kError};
  SharedWatches watches_;
  WatchKey key_;
  std::shared_ptr<FakeFeed> watch_;
};

TEST_F(SharedWatchTest, ReflectorPoint16_AllSubscribersOfAScopeShareOneWatch) {
  WatchNotes one;
  WatchNotes two;
  WatchNotes other;
  const auto first = watches_.subscribe(key_, api_, one);
  const auto second = watches_.subscribe(key_, api_, two);
  WatchKey elsewhere = key_;
  elsewhere.name_space = "ns";
  const auto third = watches_.subscribe(elsewhere, api_, other);
  settle();
  EXPECT_EQ(api_.requests().size(), 2U) << "one for each scope";
  EXPECT_THAT(one.lines, ElementsAre("begin", "item a@4", "end 10"));
  EXPECT_EQ(two.lines, one.lines);
  EXPECT_EQ(watches_.rows().size(), 2U);
  EXPECT_TRUE(first.metrics().synced);
}

TEST_F(SharedWatchTest, ALaterSubscriberGetsAListThatAllSee) {
  WatchNotes one;
  WatchNotes late;
  const auto first = watches_.subscribe(key_, api_, one);
  settle();
  const auto second = watches_.subscribe(key_, api_, late, Joins::kWithPosition, "7");
  settle();
  EXPECT_THAT(late.lines, ElementsAre("begin", "item a@4", "end 10"));
  EXPECT_EQ(one.count("end 10"), 2U);
}

TEST_F(SharedWatchTest, ASubscriberForNudgesNeedsNoListOfItsOwn) {
  WatchNotes one;
  WatchNotes nudged;
  const auto first = watches_.subscribe(key_, api_, one);
  settle();
  const auto second = watches_.subscribe(key_, api_, nudged, Joins::kForNudges);
  settle();
  EXPECT_THAT(nudged.lines, IsEmpty());
  EXPECT_EQ(api_.requests().size(), 1U);
  watch_->push(added("b", 11));
  settle();
  EXPECT_THAT(nudged.lines, ElementsAre("ADDED b@11"));
}

TEST_F(SharedWatchTest, AStoredPositionIsTakenUnlessSomebodyNeedsAList) {
  WatchNotes recorder;
  WatchNotes nudged;
  {
    const auto first = watches_.subscribe(key_, api_, recorder, Joins::kWithPosition, "77");
    const auto second = watches_.subscribe(key_, api_, nudged, Joins::kForNudges);
    settle();
    EXPECT_EQ(parameter(api_.requests().back(), "resourceVersion"), "77");
    watch_->push(added("b", 78));
    settle();
    EXPECT_THAT(recorder.lines, ElementsAre("ADDED b@78"));
  }
  settle();
  recorder.lines.clear();
  WatchNotes service;
  const auto third = watches_.subscribe(key_, api_, recorder, Joins::kWithPosition, "78");
  const auto fourth = watches_.subscribe(key_, api_, service, Joins::kWithList);
  settle();
  EXPECT_THAT(recorder.lines, ElementsAre("begin", "item a@4", "end 10"));
}

TEST_F(SharedWatchTest, WhatOneCannotHandleIsADeadLetterForThatOneAlone) {
  WatchNotes fine;
  WatchNotes picky;
  picky.answer = [](const std::string& line) {
    return line == "ADDED b@11" ? absl::InternalError("no place for it") : absl::OkStatus();
  };
  const auto first = watches_.subscribe(key_, api_, picky);
  const auto second = watches_.subscribe(key_, api_, fine);
  settle();
  watch_->push(added("b", 11));
  watch_->push(added("c", 12));
  settle();
  EXPECT_EQ(fine.lines.back(), "ADDED c@12");
  EXPECT_THAT(fine.letters, IsEmpty());
  EXPECT_EQ(picky.lines.back(), "ADDED c@12");
  ASSERT_EQ(picky.letters.size(), 1U);
  EXPECT_EQ(picky.letters[0].reason, "no place for it");
}

TEST_F(SharedWatchTest, TheWatchEndsWithItsLastSubscriber) {
  WatchNotes one;
  WatchNotes two;
  auto first = watches_.subscribe(key_, api_, one);
  auto second = watches_.subscribe(key_, api_, two);
  settle();
  first = {};
  watch_->push(added("b", 11));
  settle();
  EXPECT_FALSE(watch_->canceled());
  EXPECT_EQ(one.lines.back(), "end 10");
  EXPECT_EQ(two.lines.back(), "ADDED b@11");
  second = {};
  settle();
  EXPECT_TRUE(watch_->canceled());
  EXPECT_THAT(watches_.rows(), IsEmpty());
}

TEST_F(SharedWatchTest, AnApiThatIsLetGoStaysUntilItsWatchHasEnded) {
  WatchNotes notes;
  auto api = std::make_shared<PassingApi>(api_);
  const std::weak_ptr<Api> alive = api;
  {
    const auto subscription = watches_.subscribe(key_, *api, notes);
    settle();
    EXPECT_THAT(notes.lines, ElementsAre("begin", "item a@4", "end 10"));
    api = nullptr;
    EXPECT_FALSE(alive.expired());
    watch_->finish();  // the watch ends, and the next one asks again
    settle();
  }
  settle();
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace waybill::kube
