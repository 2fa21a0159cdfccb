#include "waybill/history/replay.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>
#include <random>

#include "tests/conformance/record_kit.h"
#include "tests/support/spark_sequences.h"
#include "waybill/history/recorded_replay.h"

namespace waybill::testing {
namespace {

using history::RecordedReplay;

// The sequences of tests/testdata/spark through the recorder and the tables: as they are, and as restarts,
// doubled deliveries and a second watcher bring them (R17, R19). All in one database, each as a cluster.
class RecordedReplayTest : public RecordDatabaseTest {
 protected:
  std::unique_ptr<RecordedReplay> make(const std::string& cluster) {
    return std::make_unique<RecordedReplay>(history::ReplayPorts{.io = io_.executor(),
                                                                 .records = records(),
                                                                 .reader = reader(),
                                                                 .events = db().events(),
                                                                 .log = log_},
                                            cluster,
                                            *history::LabelSelector::parse(history::kReplaySelector));
  }
  std::unique_ptr<RecordedReplay> started(const std::string& cluster) {
    auto replay = make(cluster);
    EXPECT_THAT(wait(replay->start()), IsOk());
    return replay;
  }
  std::unique_ptr<RecordedReplay> restarted(const std::string& cluster, const std::string& began) {
    auto replay = make(cluster);
    EXPECT_THAT(wait(replay->go_on(began)), IsOk());
    return replay;
  }
  void play(RecordedReplay& replay, const SparkSequence& sequence, std::size_t event) {
    ASSERT_THAT(wait(replay.event(sequence.events[event], sequence.received.at(event))), IsOk());
  }
  boost::json::object result(RecordedReplay& replay) {
    auto got = wait(replay.result());
    EXPECT_THAT(got, IsOk());
    return got.ok() ? *std::move(got) : boost::json::object();
  }
  static std::vector<SparkSequence> without_lists() {
    std::vector<SparkSequence> found = spark_sequences();
    std::erase_if(found, [](const SparkSequence& one) { return one.has_initial_events_end(); });
    return found;
  }
};
WB_EVERY_BACKEND(RecordedReplayTest);

TEST_P(RecordedReplayTest, EverySequenceIsRecordedAsTheRulesSay) {
  for (const SparkSequence& sequence : spark_sequences()) {
    SCOPED_TRACE(sequence.name);
    // Record ids are unique over all clusters.
    sql("delete from records");
    const auto replay = started(sequence.name);
    for (std::size_t i = 0; i < sequence.events.size(); ++i) play(*replay, sequence, i);
    expect_records(result(*replay), sequence);
    wait(replay->stop());
  }
}

TEST_P(RecordedReplayTest, ARestartAfterAnyEventWithTheLastOnesDeliveredAgainEndsInEqualRecords) {
  std::mt19937 random(20'261'130);
  for (const SparkSequence& sequence : without_lists()) {
    SCOPED_TRACE(sequence.name);
    sql("delete from records");
    auto replay = started(sequence.name);
    const std::string began = replay->began();
    std::size_t committed = 0;  // events that need not come again
    for (std::size_t i = 0; i < sequence.events.size(); ++i) {
      play(*replay, sequence, i);
      if (random() % 3 > 0) continue;
      if (random() % 2 == 0) {
        wait(replay->flush());
        committed = i + 1;
      }
      wait(replay->stop());
      replay = restarted(sequence.name, began);
      const std::size_t doubled = std::min<std::size_t>(committed, random() % 3);
      for (std::size_t again = committed - doubled; again <= i; ++again) play(*replay, sequence, again);
    }
    expect_records(result(*replay), sequence);
    wait(replay->stop());
  }
}

TEST_P(RecordedReplayTest, TwoWatchersOfOneClusterMakeNoRecordTwiceAndMoveNoneBack) {
  std::mt19937 random(7);
  for (const SparkSequence& sequence : without_lists()) {
    SCOPED_TRACE(sequence.name);
    sql("delete from records");
    const auto one = started(sequence.name);
    const auto other = restarted(sequence.name, one->began());
    // Both see every event, the other one up to three events later.
    std::size_t behind = 0;
    for (std::size_t i = 0; i < sequence.events.size(); ++i) {
      play(*one, sequence, i);
      while (behind < i && (i - behind > 3 || random() % 2 == 0)) play(*other, sequence, behind++);
    }
    while (behind < sequence.events.size()) play(*other, sequence, behind++);
    wait(other->flush());
    expect_records(result(*one), sequence);
    wait(one->stop());
    wait(other->stop());
  }
}

}  // namespace
}  // namespace waybill::testing
