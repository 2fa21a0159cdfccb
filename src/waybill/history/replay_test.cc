#include "waybill/history/replay.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/spark_sequences.h"

namespace waybill::history {
namespace {

using testing::SparkSequence;

class InMemoryReplay : public ::testing::TestWithParam<SparkSequence> {
 protected:
  // Each event `times` times.
  static boost::json::object played(int times) {
    Replay replay(*LabelSelector::parse(kReplaySelector));
    for (std::size_t i = 0; i < GetParam().events.size(); ++i) {
      for (int n = 0; n < times; ++n) replay.event(GetParam().events[i], GetParam().received.at(i));
    }
    return replay.result();
  }
};

TEST_P(InMemoryReplay, IsRecordedAsTheRulesSay) { testing::expect_records(played(1), GetParam()); }

TEST_P(InMemoryReplay, DoubledEventsChangeNothing) { EXPECT_EQ(played(2), played(1)); }

INSTANTIATE_TEST_SUITE_P(Corpus, InMemoryReplay, ::testing::ValuesIn(testing::spark_sequences()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace waybill::history
