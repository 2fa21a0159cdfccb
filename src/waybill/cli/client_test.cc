// The client commands against a scripted server: what they read, print and end with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/scripted_client.h"

namespace waybill::cli {
namespace {

using testing::answers;
using testing::CliRun;
using testing::FakeConnection;
using testing::FakeRequest;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedClient;
using ::testing::StartsWith;

constexpr char kJob[] =
    R"({"id":"j1","name":"n1","user":"ann","status":"SUCCEEDED","created_at":1779999700,"duration_ms":3412,)"
    R"("command_name":"ping","cluster_name":"local","tags":["_id:j1","team:a"],"ratio":1.50})";

TEST(ExitCodeTest, FollowsTheServersAnswer) {
  struct Case {
    int status;
    std::string body;
    int code;
  };
  const std::vector<Case> cases = {
      {400, R"({"error":"no"})", kError},
      {401, R"({"error":"cannot identify caller -- access denied"})", kDenied},
      {403, R"({"error":"no","code":"permission_denied"})", kDenied},
      {404, R"({"error":"no"})", kNotFound},
      {409, R"({"error":"no"})", kError},
      {413, R"({"error":"no"})", kError},
      {422, R"({"error":"no","code":"job_failed","id":"j1"})", kJobFailed},
      {422, R"({"error":"no","code":"no_route"})", kError},
      {429, R"({"error":"no"})", kError},
      {500, R"({"error":"no"})", kError},
      {503, R"({"error":"no"})", kError},
      {404, "<html>not an API</html>", kNotFound},
      {400, R"({"error":"no","code":"usage"})", kError},  // a server can't say that we were typed wrongly
  };
  for (const Case& answer : cases) {
    ScriptedClient cli(answers(answer.status, answer.body));
    EXPECT_EQ(cli.run({"get", "job", "j1"}), answer.code) << answer.status << answer.body;
    EXPECT_EQ(cli.out, "");
    EXPECT_THAT(cli.err, StartsWith("error: "));
  }
}

TEST(ErrorTest, NoRouteSaysWhatNearlyMatched) {
  ScriptedClient cli(answers(
      422, R"({"error":"command-cluster pair is not found","code":"no_route",)"
           R"("near_misses":[{"command":"ping","cluster":"local","missing":["type:x","a\u001b[2J"]}]})"));
  EXPECT_EQ(cli.run({"submit", "--command", "type:x"}), kError);
  EXPECT_EQ(cli.err,
            "error: command-cluster pair is not found\n"
            "hint: ping with cluster local lacks type:x, a\\x1b[2J\n");
}

TEST(ErrorTest, RefusedNamesTheUrlAndWhereItCameFrom) {
  CliRun cli;
  EXPECT_EQ(cli.run({"list", "jobs", "--url", "http://127.0.0.1:1"}), kError);
  EXPECT_THAT(cli.err, HasSubstr("http://127.0.0.1:1 (from --url)"));
  EXPECT_THAT(cli.err, HasSubstr("hint: "));
  EXPECT_TRUE(cli.pauses.empty()) << "a server that never answered is not waited for";
}

TEST(GetTest, TheTableShowsAgesAndAttributesByTheirShow) {
  ScriptedClient cli(
      answers(200, R"({"id":"j1","status":"RUNNING","created_at":1779999700,"extra_job_attributes":{)"
                   R"("Second":{"kind":"text","value":"two","position":1},)"
                   R"("Done":{"kind":"link","value":"http://d","show":"finished","position":2},)"
                   R"("First":{"kind":"link","value":"http://l","show":"running","position":0}}})"));
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk);
  EXPECT_EQ(cli.out, "id:       j1\nstatus:   RUNNING\ncreated:  5m\nFirst:    http://l\nSecond:   two\n");
}

TEST(GetTest, JsonIsWhatTheServerSaid) {
  ScriptedClient cli(answers(200, kJob));
  EXPECT_EQ(cli.run({"get", "job", "j1", "-o", "json"}), kOk);
  EXPECT_EQ(cli.out, std::string(kJob) + "\n");
  EXPECT_EQ(cli.run({"get", "job", "a/b?c", "-o", "name"}), kOk);
  EXPECT_EQ(cli.out, "j1\n");
  EXPECT_EQ(cli.server.requests().back().target, "/api/v1/job/a%2Fb%3Fc");
  EXPECT_EQ(cli.server.requests().back().headers.at("x-heimdall-user"), "ann");
}

TEST(GetTest, TimesInUtcAndColoursOnATerminalOnly) {
  ScriptedClient cli(answers(200, kJob));
  EXPECT_EQ(cli.run({"get", "job", "j1", "--utc"}), kOk);
  EXPECT_THAT(cli.out, HasSubstr("created:   2026-05-28T20:21:40Z\n"));
  EXPECT_THAT(cli.out, Not(HasSubstr("\x1b")));
  cli.out_is_terminal = true;
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk);
  EXPECT_THAT(cli.out, HasSubstr("\x1b[32mSUCCEEDED\x1b[0m"));
  cli.variables["NO_COLOR"] = "1";
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk);
  EXPECT_THAT(cli.out, Not(HasSubstr("\x1b")));
}

TEST(SettingsTest, ATokenTakesThePlaceOfTheUser) {
  ScriptedClient cli(answers(200, kJob));
  cli.variables["WAYBILL_TOKEN"] = "t0ken";
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk);
  const auto headers = cli.server.requests().back().headers;
  EXPECT_EQ(headers.at("authorization"), "Bearer t0ken");
  EXPECT_FALSE(headers.contains("x-heimdall-user"));
}

// Answers three pages of two rows, one of them short.
void answer_pages(const FakeRequest& request, const FakeConnection& connection) {
  if (request.target.find("cursor=c%2B2") != std::string::npos) {
    connection.answer(200, R"({"data":[{"id":"d","x":2.50}]})");
  } else if (request.target.find("cursor=c1") != std::string::npos) {
    connection.answer(200, R"({"data":[{"id":"c"}],"has_more":true,"next_cursor":"c+2"})");
  } else {
    connection.answer(200, R"({"data":[{"id":"a"},{"id":"b"}],"has_more":true,"next_cursor":"c1"})");
  }
}

TEST(ListTest, PagesUntilTheLimitOrTheEnd) {
  ScriptedClient cli(answer_pages);
  EXPECT_EQ(cli.run({"list", "jobs", "--all", "-o", "name"}), kOk);
  EXPECT_EQ(cli.out, "a\nb\nc\nd\n");
  EXPECT_EQ(cli.run({"list", "jobs", "--all", "-o", "json"}), kOk);
  EXPECT_EQ(cli.out, R"({"data":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d","x":2.50}]})"
                     "\n");
  EXPECT_EQ(cli.run({"list", "jobs", "--limit", "3", "-o", "json"}), kOk);
  EXPECT_EQ(cli.out, R"({"data":[{"id":"a"},{"id":"b"},{"id":"c"}],"has_more":true,"next_cursor":"c+2"})"
                     "\n");
  EXPECT_THAT(cli.err, HasSubstr("--all"));
  EXPECT_EQ(cli.run({"list", "jobs", "--all", "-o", "jsonl"}), kOk);
  EXPECT_EQ(cli.out, "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\",\"x\":2.50}\n");
}

TEST(ListTest, FiltersAreParametersOfTheSameName) {
  ScriptedClient cli(answers(200, R"({"data":[]})"));
  EXPECT_EQ(cli.run({"list",
                     "jobs",
                     "--status",
                     "NEW,FAILED",
                     "--tags",
                     "a:b",
                     "c:d e",
                     "--name",
                     "x%",
                     "--mine",
                     "--from",
                     "1h",
                     "--finished-to",
                     "2026-07-01",
                     "--min-duration",
                     "5m",
                     "--order-by",
                     "id",
                     "--direction",
                     "asc",
                     "--limit",
                     "7"}),
            kOk);
  EXPECT_EQ(
      cli.server.requests().back().target,
      "/api/v1/jobs?name=x%25&status=NEW%2CFAILED&tags=a%3Ab%2Cc%3Ad%20e&from=2026-05-28T19%3A26%3A40.000Z"
      "&finished_to=2026-07-01T00%3A00%3A00.000Z&min_duration=5m&mine=true&order_by=id&direction=asc&limit="
      "7");
  EXPECT_THAT(cli.err, HasSubstr("no jobs match"));
}

TEST(ListTest, ACursorThatRepeatsDoesNotGoOnForEver) {
  ScriptedClient cli(answers(200, R"({"data":[],"next_cursor":"c"})"));
  EXPECT_EQ(cli.run({"list", "jobs", "--all"}), kError);
  EXPECT_THAT(cli.err, HasSubstr("the same page again"));
}

TEST(ListTest, WatchingPrintsWhatChangedWhenAnEventComes) {
  ScriptedClient* self = nullptr;
  std::atomic<int> lists = 0;
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.starts_with("/api/v1/events")) {
      connection.write(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\nid: 1\ndata: {}\n\n");
      connection.hold();
      return;
    }
    const int number = ++lists;
    if (number == 2) self->interrupt();
    connection.answer(200, number == 1
                               ? R"({"data":[{"id":"a","status":"NEW"},{"id":"b","status":"NEW"}]})"
                               : R"({"data":[{"id":"a","status":"RUNNING"},{"id":"b","status":"NEW"}]})");
  });
  self = &cli;
  const int code = cli.run({"list", "jobs", "-w", "--status", "NEW,RUNNING", "-o", "jsonl"});
  EXPECT_EQ(code, kInterrupted) << cli.err;
  EXPECT_THAT(cli.out, StartsWith("{\"id\":\"a\",\"status\":\"NEW\"}\n{\"id\":\"b\",\"status\":\"NEW\"}\n"));
  EXPECT_EQ(cli.server.count("GET", "/api/v1/events?status=NEW%2CRUNNING"), 1U);
}

}  // namespace
}  // namespace waybill::cli
