#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

namespace waybill::engine {
namespace {

using ::testing::SizeIs;

class HealthTest : public EngineTest {
 protected:
  HealthTest() { cluster_.health_check = true; }
};

TEST_F(HealthTest, AClusterIsProbedThroughThePluginOfACommandThatMatches) {
  start();
  const auto checks = run(engine().health().check_all());
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].cluster_id, ClusterId("here"));
  EXPECT_EQ(checks[0].cluster_name, "here");
  EXPECT_EQ(checks[0].plugin, "fake");
  EXPECT_EQ(checks[0].status, "ok");
}

TEST_F(HealthTest, AnErrorIsSaidAndMakesItUnhealthyUntilTheNextProbe) {
  fake_->check_answer = unavailable("connection refused");
  start();
  const auto checks = run(engine().health().check_all());
  EXPECT_EQ(checks.at(0).status, "error");
  EXPECT_EQ(checks.at(0).error, "connection refused");
  EXPECT_FALSE(engine().health().healthy(ClusterId("here")));
  EXPECT_TRUE(engine().health().healthy(ClusterId("unknown")));
  fake_->check_answer = absl::OkStatus();
  advance_until(
      absl::Seconds(30), [&] { return engine().health().healthy(ClusterId("here")); }, "the next probe");
}

TEST_F(HealthTest, APluginWithoutAProbeIsUnchecked) {
  fake_->check_answer = absl::UnimplementedError("none");
  start();
  EXPECT_EQ(run(engine().health().check_all()).at(0).status, "unchecked");
  EXPECT_TRUE(engine().health().healthy(ClusterId("here")));
}

TEST_F(HealthTest, WhatCantBeProbedIsSaidInTheWordsOfTheApi) {
  cluster_.health_check = false;
  start();
  const auto off = run(engine().health().check(ClusterId("here")));
  EXPECT_EQ(message(off.status()), "health check is not enabled for cluster here");
  EXPECT_EQ(off.status().code(), absl::StatusCode::kFailedPrecondition);
  const auto unknown = run(engine().health().check(ClusterId("x")));
  EXPECT_EQ(message(unknown.status()), "unknown cluster_id: x");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(HealthTest, ALonelyOrInactiveClusterHasNobodyToProbeIt) {
  cluster_.tags = {"where:elsewhere"};
  start();
  EXPECT_TRUE(run(engine().health().check_all()).empty());
  EXPECT_EQ(message(run(engine().health().check(ClusterId("here"))).status()),
            "no active command matched cluster here");
  crash();
  cluster_.tags = {"where:here"};
  cluster_.status = domain::EntryStatus::kInactive;
  start();
  EXPECT_EQ(message(run(engine().health().check(ClusterId("here"))).status()),
            "no active command matched cluster here");
}

}  // namespace
}  // namespace waybill::engine
