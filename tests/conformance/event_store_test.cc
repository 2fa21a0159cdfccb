#include <boost/json.hpp>

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using domain::JobStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EventStoreTest : public DatabaseTest {
 protected:
  ports::EventPage read(const std::string& after, std::size_t limit = 100) {
    auto page = wait(db().events().read(after, limit));
    EXPECT_THAT(page, IsOk());
    return page.ok() ? *std::move(page) : ports::EventPage();
  }
  static std::vector<std::string> steps(const ports::EventPage& page) {
    std::vector<std::string> out;
    for (const ports::Event& event : page.events) {
      out.push_back(std::string(event.body.at("name").as_string()) + " " +
                    std::string(event.body.at("to").as_string()));
    }
    return out;
  }
};
WB_EVERY_BACKEND(EventStoreTest);

TEST_P(EventStoreTest, EveryTransitionIsOneEventInOrder) {
  const std::string start = *wait(db().events().last_position());
  domain::Job job = some_job("one");
  job.spec.tags = {"t:1"};
  insert(job);
  const domain::Job claimed = claim_one("a");
  domain::JobState lost = ended(claimed, JobStatus::kKilled);
  lost.reason = domain::EndReason::kTimeout;
  ASSERT_THAT(apply(claimed, lost), IsOk());

  const ports::EventPage page = read(start);
  EXPECT_THAT(steps(page), ElementsAre("one NEW", "one ACCEPTED", "one KILLED"));
  EXPECT_FALSE(page.reset);
  const ports::Event& last = page.events.back();
  EXPECT_EQ(last.type, "job");
  EXPECT_EQ(last.subject, job.id.str());
  EXPECT_EQ(last.at, clock_.now());
  EXPECT_EQ(last.body.at("id").as_string(), job.id.str());
  EXPECT_EQ(last.body.at("from").as_string(), "ACCEPTED");
  EXPECT_EQ(last.body.at("reason").as_string(), "timeout");
  EXPECT_EQ(last.body.at("user").as_string(), "ann");
  EXPECT_EQ(last.body.at("command").as_string(), "ping");
  EXPECT_EQ(last.body.at("cluster").as_string(), "local");
  EXPECT_EQ(last.body.at("attempt").as_int64(), 1);
  EXPECT_EQ(last.body.at("actor").as_string(), "waybill");
  EXPECT_FALSE(page.events.front().body.contains("from"));
  EXPECT_EQ(page.last_position, last.position);
  EXPECT_EQ(*wait(db().events().last_position()), last.position);
}

TEST_P(EventStoreTest, ReadsOnFromAPositionInPages) {
  const std::string start = *wait(db().events().last_position());
  for (const char* name : {"a", "b", "c"}) insert(name);
  const ports::EventPage first = read(start, 2);
  EXPECT_THAT(steps(first), ElementsAre("a NEW", "b NEW"));
  const ports::EventPage second = read(first.last_position, 2);
  EXPECT_THAT(steps(second), ElementsAre("c NEW"));
  const ports::EventPage third = read(second.last_position, 2);
  EXPECT_THAT(third.events, IsEmpty());
  EXPECT_EQ(third.last_position, second.last_position);
}

TEST_P(EventStoreTest, PositionsGrowAsNumbers) {
  for (int i = 0; i < 12; ++i) insert();
  std::int64_t before = -1;
  for (const ports::Event& event : read("").events) {
    const std::int64_t position = std::stoll(event.position);
    EXPECT_GT(position, before);
    before = position;
  }
}

TEST_P(EventStoreTest, APositionOlderThanWhatIsKeptIsReset) {
  const std::string start = *wait(db().events().last_position());
  insert("old");
  const std::string seen = read(start).last_position;
  advance(absl::Hours(2));
  insert("new");
  ASSERT_THAT(wait(db().events().expire(clock_.now() - absl::Hours(1), 100)), IsOk());
  EXPECT_TRUE(read(start).reset);
  EXPECT_EQ(read(start).last_position, *wait(db().events().last_position()));
  EXPECT_FALSE(read(seen).reset) << "all after it is still there";
  EXPECT_THAT(steps(read(seen)), ElementsAre("new NEW"));
  EXPECT_THAT(steps(read("")), ElementsAre("new NEW")) << "from the beginning is no old position";
}

TEST_P(EventStoreTest, LastPositionStaysWhenAllEventsExpired) {
  insert("old");
  const std::string last = *wait(db().events().last_position());
  advance(absl::Hours(2));
  ASSERT_THAT(wait(db().events().expire(clock_.now(), 100)), IsOk());
  EXPECT_EQ(*wait(db().events().last_position()), last);
  EXPECT_FALSE(read(last).reset);
}

TEST_P(EventStoreTest, ExpiresInSmallBatches) {
  for (int i = 0; i < 5; ++i) insert();
  advance(absl::Hours(2));
  ASSERT_THAT(wait(db().events().expire(clock_.now(), 2)), IsOk());
  EXPECT_THAT(read("").events, SizeIs(3));
}

TEST_P(EventStoreTest, WhatIsNoPositionIsRefused) {
  for (const char* text : {"x", "-1", "1.5", "99999999999999999999", "1 "}) {
    EXPECT_THAT(wait(db().events().read(text, 10)), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST_P(EventStoreTest, APositionBeyondTheEndIsReset) { EXPECT_TRUE(read("9000000000000000000").reset); }

}  // namespace
}  // namespace waybill::testing
