// Cancel, health, route, stats and events against a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scripted_client.h"

namespace waybill::cli {
namespace {

using testing::answers;
using testing::FakeConnection;
using testing::FakeRequest;
using ::testing::HasSubstr;
using testing::ScriptedClient;
using ::testing::StartsWith;

TEST(CancelTest, ByFilterCancelsWhatIsAlive) {
  ScriptedClient cli([](const FakeRequest& request, const FakeConnection& connection) {
    if (request.method == "GET") {
      return connection.answer(200, R"({"data":[{"id":"a","status":"NEW"},{"id":"b","status":"RUNNING"}]})");
    }
    if (request.target.find("/b/") != std::string::npos)
      return connection.answer(409, R"({"error":"already ended"})");
    connection.answer(200, R"({"status":"CANCELING"})");
  });
  EXPECT_EQ(cli.run({"cancel", "--tags", "batch:1"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, "a  CANCELING\n");
  EXPECT_THAT(cli.server.requests().front().target, HasSubstr("status=NEW%2CACCEPTED%2CRUNNING"));
}

TEST(CancelTest, EveryIdIsTriedAndTheFailureCounts) {
  ScriptedClient cli([](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.find("/b/") != std::string::npos)
      return connection.answer(404, R"({"error":"unknown job"})");
    connection.answer(200, R"({"status":"CANCELING"})");
  });
  EXPECT_EQ(cli.run({"cancel", "b", "a"}), kNotFound);
  EXPECT_EQ(cli.out, "a  CANCELING\n");
  EXPECT_THAT(cli.err, HasSubstr("b: unknown job"));
}

TEST(InspectTest, HealthShowsTheChecksOfA503) {
  ScriptedClient cli(answers(
      503,
      R"({"healthy":false,"checks":[{"cluster_id":"a","status":"error","error":"down","latency_ms":3}]})"));
  EXPECT_EQ(cli.run({"health"}), kError);
  EXPECT_THAT(cli.out, HasSubstr("down"));
  EXPECT_EQ(cli.server.requests().size(), 1U);
}

TEST(InspectTest, RouteShowsPairsAndWhy) {
  ScriptedClient cli(answers(
      200,
      R"({"pairs":[{"command_id":"c1","cluster_id":"k1","healthy":true},)"
      R"({"command_id":"c1","cluster_id":"k2","healthy":false}],)"
      R"("chosen":{"command_id":"c1","cluster_id":"k1"},"why":"the only healthy pair","near_misses":[]})"));
  EXPECT_EQ(cli.run({"route", "--command", "x"}), kOk);
  EXPECT_EQ(cli.out,
            "COMMAND  CLUSTER  HEALTH     CHOICE\n"
            "c1       k1       healthy    taken\n"
            "c1       k2       unhealthy\n"
            "the only healthy pair\n");
}

TEST(InspectTest, StatsShowCountsAsColumns) {
  ScriptedClient cli(answers(
      200, R"({"data":[{"start":"2026-07-01T00:00:00.000Z","counts":{"FAILED":1,"SUCCEEDED":3},)"
           R"("success_rate":0.75,"p50_ms":20}],"counts":{"FAILED":1,"SUCCEEDED":3},"success_rate":0.75})"));
  EXPECT_EQ(cli.run({"stats", "jobs"}), kOk);
  EXPECT_THAT(cli.out, StartsWith("START                     FAILED  SUCCEEDED  SUCCESS RATE  P50 MS\n"));
  EXPECT_THAT(cli.out, HasSubstr("\ntotal                     1       3"));
}

TEST(InspectTest, EventsAreRows) {
  ScriptedClient cli(answers(
      200, R"({"data":[{"at":"2026-05-28T20:26:30.000Z","from":"NEW","to":"ACCEPTED","actor":"waybill"}]})"));
  EXPECT_EQ(cli.run({"events", "j1"}), kOk);
  EXPECT_EQ(cli.out,
            "AT   FROM  TO        REASON  ACTOR    INSTANCE\n10s  NEW   ACCEPTED          waybill\n");
}

}  // namespace
}  // namespace waybill::cli
