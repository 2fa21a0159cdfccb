// Submitting and waiting against a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/support/scripted_client.h"

namespace waybill::cli {
namespace {

using testing::answers;
using testing::FakeConnection;
using testing::FakeRequest;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedClient;
using ::testing::StartsWith;

TEST(SubmitTest, SendsWhatTheFlagsAndTheFileSay) {
  ScriptedClient cli(answers(200, R"({"id":"j1","status":"NEW","warnings":["unknown member \"colour\""]})"));
  const std::string file = cli.write_file(
      "job.yaml", "name: from file\nversion: '1.10'\npriority: 3\ncolour: blue\ncontext: {a: 1, b: x}\n");
  const std::string context = cli.write_file("c.json", R"({"f":[1.5]})");
  EXPECT_EQ(
      cli.run({"submit", "-f", file, "--command", "type:x", "--cluster", "c", "--name", "flag", "--timeout",
               "2m", "--context", "b=7", "n:=7", "l=[\"echo\"]", "@" + context, "-o", "name"}),
      kOk);
  EXPECT_EQ(cli.out, "j1\n");
  EXPECT_THAT(cli.err, HasSubstr("warning: unknown member \"colour\""));
  const FakeRequest sent = cli.server.requests().back();
  EXPECT_EQ(sent.target, "/api/v1/job");
  EXPECT_EQ(
      sent.body,
      R"({"name":"flag","version":"1.10","priority":3,"colour":"blue","context":{"a":1,"b":"7","n":7,)"
      R"("l":["echo"],"f":[1.5E0]},"command_criteria":["type:x"],"cluster_criteria":["c"],"timeout_seconds":120})");
  EXPECT_EQ(sent.headers.at("idempotency-key").size(), 36U);
}

TEST(SubmitTest, WrongInputIsOfUsageAndSendsNothing) {
  ScriptedClient cli(answers(200, R"({"id":"j1"})"));
  const std::string bad = cli.write_file("bad.yaml", "a: [1\n");
  const std::string list = cli.write_file("list.json", "[1]");
  const std::vector<std::vector<std::string>> cases = {
      {"submit"},
      {"submit", "-f", bad},
      {"submit", "-f", list},
      {"submit", "-f", "/none"},
      {"submit", "--command", "x", "--context", "novalue"},
      {"submit", "--command", "x", "--context", "a:={"},
      {"submit", "--command", "x", "--context", "@" + list},
      {"submit", "--command", "\xff"},
      {"submit", "--command", "x", "--idempotency-key", "a b"},
      {"cancel"},
      {"cancel", "j1", "--mine"},
      {"list", "jobs", "--limit", "0"}};
  for (const auto& args : cases) {
    EXPECT_EQ(cli.run(args), kUsage) << ::testing::PrintToString(args) << cli.err;
    EXPECT_THAT(cli.err, StartsWith("error: "));
  }
  EXPECT_TRUE(cli.server.requests().empty());
}

TEST(SubmitTest, IsRepeatedWithTheSameKeyAfterALossAndAfter503) {
  std::atomic<int> calls = 0;
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    const int call = ++calls;
    if (call == 1) return connection.reset();
    if (call == 2) return connection.answer(503, R"({"error":"not ready"})", "Retry-After: 7\r\n");
    connection.answer(200, R"({"id":"j1","status":"NEW"})");
  });
  EXPECT_EQ(cli.run({"submit", "--command", "x", "-o", "name"}), kOk) << cli.err;
  const auto sent = cli.server.requests();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].headers.at("idempotency-key"), sent[2].headers.at("idempotency-key"));
  EXPECT_EQ(sent[0].body, sent[2].body);
  EXPECT_THAT(cli.pauses, ::testing::ElementsAre(absl::Milliseconds(500), absl::Seconds(7)));
}

TEST(RetryTest, EndsAfterFiveTriesAndOtherCallsAreMadeOnce) {
  ScriptedClient cli(answers(503, R"({"error":"not ready"})"));
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kError);
  EXPECT_EQ(cli.server.requests().size(), 5U);
  EXPECT_EQ(cli.run({"cancel", "j1"}), kError);
  EXPECT_EQ(cli.run({"rerun", "j1"}), kError);
  EXPECT_EQ(cli.server.count("POST", "/api/v1/job/j1/cancel"), 1U);
  EXPECT_EQ(cli.server.count("POST", "/api/v1/job/j1/rerun"), 1U);
  ScriptedClient busy(answers(429, R"({"error":"too many"})", "Retry-After: 3\r\n"));
  EXPECT_EQ(busy.run({"submit", "--command", "x"}), kError);
  EXPECT_EQ(busy.server.requests().size(), 1U);
  EXPECT_THAT(busy.err, HasSubstr("hint: try again in 3 s"));
}

// A job that goes through states, one a look.
FakeServer::Handler job_of_states(std::vector<std::string> states) {
  auto looks = std::make_shared<std::atomic<std::size_t>>(0);
  return [=](const FakeRequest& request, const FakeConnection& connection) {
    const bool is_look = request.target.ends_with("/status");
    const std::size_t look = is_look ? (*looks)++ : looks->load();
    const std::string state = states[std::min(look, states.size() - 1)];
    connection.answer(200, R"({"id":"j1","status":")" + state + R"(","error":"said so"})");
  };
}

TEST(WaitTest, EndsAsTheJobEnds) {
  const std::pair<const char*, int> ends[] = {
      {"SUCCEEDED", kOk}, {"FAILED", kJobFailed}, {"KILLED", kJobFailed}, {"CANCELED", kJobFailed}};
  for (const auto& [end, code] : ends) {
    ScriptedClient cli(job_of_states({"NEW", "RUNNING", end}));
    EXPECT_EQ(cli.run({"wait", "j1"}), code) << end;
    EXPECT_THAT(cli.out, HasSubstr(end));
    EXPECT_EQ(cli.err, "");
    ScriptedClient submit(job_of_states({"NEW", "RUNNING", end}));
    EXPECT_EQ(submit.run({"submit", "--command", "x", "--wait", "-o", "json"}), code) << end;
    EXPECT_THAT(submit.out, HasSubstr(end));
  }
}

TEST(WaitTest, ATimeoutIs124AndSaysThatTheJobGoesOn) {
  ScriptedClient cli(job_of_states({"RUNNING"}));
  EXPECT_EQ(cli.run({"wait", "j1", "--timeout", "30s"}), kTimeout);
  EXPECT_THAT(cli.err, HasSubstr("j1 is RUNNING"));
  EXPECT_THAT(cli.err, HasSubstr("the job goes on"));
  absl::Duration waited;
  for (const absl::Duration pause : cli.pauses) waited += pause;
  EXPECT_EQ(waited, absl::Seconds(30));
}

TEST(WaitTest, AnyEndsWithTheFirst) {
  ScriptedClient cli([](const FakeRequest& request, const FakeConnection& connection) {
    const bool second = request.target.find("/j2") != std::string::npos;
    connection.answer(200,
                      second ? R"({"id":"j2","status":"SUCCEEDED"})" : R"({"id":"j1","status":"RUNNING"})");
  });
  EXPECT_EQ(cli.run({"wait", "j1", "j2", "--for", "any", "-o", "name"}), kOk);
  EXPECT_EQ(cli.out, "j2\n");
}

TEST(WaitTest, AnInterruptSaysHowToCancel) {
  ScriptedClient* self = nullptr;
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    self->interrupt();
    connection.answer(200, R"({"status":"RUNNING"})");
  });
  self = &cli;
  EXPECT_EQ(cli.run({"wait", "j1"}), kInterrupted);
  EXPECT_THAT(cli.err, HasSubstr("the job goes on"));
  EXPECT_THAT(cli.err, HasSubstr("hint: cancel with `waybill cancel j1`"));
}

TEST(WaitTest, ARestartOfTheServerIsWaitedOut) {
  std::atomic<int> calls = 0;
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    const int call = ++calls;
    if (call >= 2 && call <= 12) return connection.reset();
    connection.answer(200, call == 1 ? R"({"status":"RUNNING"})" : R"({"id":"j1","status":"SUCCEEDED"})");
  });
  EXPECT_EQ(cli.run({"wait", "j1"}), kOk) << cli.err;
  EXPECT_THAT(cli.err, HasSubstr("waiting for it to come back"));
}

TEST(WaitTest, ProgressIsOnlyForATerminal) {
  ScriptedClient cli(job_of_states({"RUNNING", "SUCCEEDED"}));
  cli.err_is_terminal = true;
  EXPECT_EQ(cli.run({"wait", "j1"}), kOk);
  EXPECT_THAT(cli.err, HasSubstr("RUNNING"));
  EXPECT_THAT(cli.out, Not(HasSubstr("\r")));
}

TEST(WaitTest, AWaitingJobsPlaceInTheQueueIsShown) {
  std::atomic<int> looks = 0;
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.starts_with("/api/v1/jobs?"))
      return connection.answer(200, R"({"data":[{"id":"x"},{"id":"y"}]})");
    const bool first = request.target.ends_with("/status") && ++looks == 1;
    const std::string status = first || looks == 1 ? "NEW" : "SUCCEEDED";
    connection.answer(200, R"({"id":"j1","created_at":1779999700,"status":")" + status + "\"}");
  });
  cli.err_is_terminal = true;
  EXPECT_EQ(cli.run({"wait", "j1"}), kOk);
  EXPECT_THAT(cli.err, HasSubstr("place 3 in the queue"));
}

}  // namespace
}  // namespace waybill::cli
