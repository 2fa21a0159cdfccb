// The client commands against a scripted server: what they send, print and end with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/cli_run.h"
#include "tests/support/fake_server.h"

namespace waybill::cli {
namespace {

using testing::CliRun;
using testing::FakeConnection;
using testing::FakeRequest;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kJob[] =
    R"({"id":"j1","name":"n1","user":"ann","status":"SUCCEEDED","created_at":1779999700,"duration_ms":3412,)"
    R"("command_name":"ping","cluster_name":"local","tags":["_id:j1","team:a"],"ratio":1.50})";

FakeServer::Handler always(int status, std::string body, std::string headers = "") {
  return
      [=](const FakeRequest&, const FakeConnection& connection) { connection.answer(status, body, headers); };
}

struct Client : CliRun {
  explicit Client(FakeServer::Handler handler) : server(std::move(handler)) {
    variables["WAYBILL_URL"] = server.url();
  }
  FakeServer server;
};

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
    Client cli(always(answer.status, answer.body));
    EXPECT_EQ(cli.run({"get", "job", "j1"}), answer.code) << answer.status << answer.body;
    EXPECT_EQ(cli.out, "");
    EXPECT_THAT(cli.err, StartsWith("error: "));
  }
}

TEST(ErrorTest, NoRouteSaysWhatNearlyMatched) {
  Client cli(always(
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
  Client cli(always(200, R"({"id":"j1","status":"RUNNING","created_at":1779999700,"extra_job_attributes":{)"
                         R"("Second":{"kind":"text","value":"two","position":1},)"
                         R"("Done":{"kind":"link","value":"http://d","show":"finished","position":2},)"
                         R"("First":{"kind":"link","value":"http://l","show":"running","position":0}}})"));
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk);
  EXPECT_EQ(cli.out, "id:       j1\nstatus:   RUNNING\ncreated:  5m\nFirst:    http://l\nSecond:   two\n");
}

TEST(GetTest, JsonIsWhatTheServerSaid) {
  Client cli(always(200, kJob));
  EXPECT_EQ(cli.run({"get", "job", "j1", "-o", "json"}), kOk);
  EXPECT_EQ(cli.out, std::string(kJob) + "\n");
  EXPECT_EQ(cli.run({"get", "job", "a/b?c", "-o", "name"}), kOk);
  EXPECT_EQ(cli.out, "j1\n");
  EXPECT_EQ(cli.server.requests().back().target, "/api/v1/job/a%2Fb%3Fc");
  EXPECT_EQ(cli.server.requests().back().headers.at("x-heimdall-user"), "ann");
}

TEST(GetTest, TimesInUtcAndColoursOnATerminalOnly) {
  Client cli(always(200, kJob));
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
  Client cli(always(200, kJob));
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
  Client cli(answer_pages);
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
  Client cli(always(200, R"({"data":[]})"));
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
  Client cli(always(200, R"({"data":[],"next_cursor":"c"})"));
  EXPECT_EQ(cli.run({"list", "jobs", "--all"}), kError);
  EXPECT_THAT(cli.err, HasSubstr("the same page again"));
}

TEST(ListTest, WatchingPrintsWhatChangedWhenAnEventComes) {
  Client* self = nullptr;
  std::atomic<int> lists = 0;
  Client cli([&](const FakeRequest& request, const FakeConnection& connection) {
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

TEST(SubmitTest, SendsWhatTheFlagsAndTheFileSay) {
  Client cli(always(200, R"({"id":"j1","status":"NEW","warnings":["unknown member \"colour\""]})"));
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
  Client cli(always(200, kJob));
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
  Client cli([&](const FakeRequest&, const FakeConnection& connection) {
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
  Client cli(always(503, R"({"error":"not ready"})"));
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kError);
  EXPECT_EQ(cli.server.requests().size(), 5U);
  EXPECT_EQ(cli.run({"cancel", "j1"}), kError);
  EXPECT_EQ(cli.run({"rerun", "j1"}), kError);
  EXPECT_EQ(cli.server.count("POST", "/api/v1/job/j1/cancel"), 1U);
  EXPECT_EQ(cli.server.count("POST", "/api/v1/job/j1/rerun"), 1U);
  Client busy(always(429, R"({"error":"too many"})", "Retry-After: 3\r\n"));
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
    Client cli(job_of_states({"NEW", "RUNNING", end}));
    EXPECT_EQ(cli.run({"wait", "j1"}), code) << end;
    EXPECT_THAT(cli.out, HasSubstr(end));
    EXPECT_EQ(cli.err, "");
    Client submit(job_of_states({"NEW", "RUNNING", end}));
    EXPECT_EQ(submit.run({"submit", "--command", "x", "--wait", "-o", "json"}), code) << end;
    EXPECT_THAT(submit.out, HasSubstr(end));
  }
}

TEST(WaitTest, ATimeoutIs124AndSaysThatTheJobGoesOn) {
  Client cli(job_of_states({"RUNNING"}));
  EXPECT_EQ(cli.run({"wait", "j1", "--timeout", "30s"}), kTimeout);
  EXPECT_THAT(cli.err, HasSubstr("j1 is RUNNING"));
  EXPECT_THAT(cli.err, HasSubstr("the job goes on"));
  absl::Duration waited;
  for (const absl::Duration pause : cli.pauses) waited += pause;
  EXPECT_EQ(waited, absl::Seconds(30));
}

TEST(WaitTest, AnyEndsWithTheFirst) {
  Client cli([](const FakeRequest& request, const FakeConnection& connection) {
    const bool second = request.target.find("/j2") != std::string::npos;
    connection.answer(200,
                      second ? R"({"id":"j2","status":"SUCCEEDED"})" : R"({"id":"j1","status":"RUNNING"})");
  });
  EXPECT_EQ(cli.run({"wait", "j1", "j2", "--for", "any", "-o", "name"}), kOk);
  EXPECT_EQ(cli.out, "j2\n");
}

TEST(WaitTest, AnInterruptSaysHowToCancel) {
  Client* self = nullptr;
  Client cli([&](const FakeRequest&, const FakeConnection& connection) {
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
  Client cli([&](const FakeRequest&, const FakeConnection& connection) {
    const int call = ++calls;
    if (call >= 2 && call <= 12) return connection.reset();
    connection.answer(200, call == 1 ? R"({"status":"RUNNING"})" : R"({"id":"j1","status":"SUCCEEDED"})");
  });
  EXPECT_EQ(cli.run({"wait", "j1"}), kOk) << cli.err;
  EXPECT_THAT(cli.err, HasSubstr("waiting for it to come back"));
}

TEST(WaitTest, ProgressIsOnlyForATerminal) {
  Client cli(job_of_states({"RUNNING", "SUCCEEDED"}));
  cli.err_is_terminal = true;
  EXPECT_EQ(cli.run({"wait", "j1"}), kOk);
  EXPECT_THAT(cli.err, HasSubstr("RUNNING"));
  EXPECT_THAT(cli.out, Not(HasSubstr("\r")));
}

TEST(WaitTest, AWaitingJobsPlaceInTheQueueIsShown) {
  std::atomic<int> looks = 0;
  Client cli([&](const FakeRequest& request, const FakeConnection& connection) {
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

TEST(CancelTest, ByFilterCancelsWhatIsAlive) {
  Client cli([](const FakeRequest& request, const FakeConnection& connection) {
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
  Client cli([](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.find("/b/") != std::string::npos)
      return connection.answer(404, R"({"error":"unknown job"})");
    connection.answer(200, R"({"status":"CANCELING"})");
  });
  EXPECT_EQ(cli.run({"cancel", "b", "a"}), kNotFound);
  EXPECT_EQ(cli.out, "a  CANCELING\n");
  EXPECT_THAT(cli.err, HasSubstr("b: unknown job"));
}

TEST(InspectTest, HealthShowsTheChecksOfA503) {
  Client cli(always(
      503,
      R"({"healthy":false,"checks":[{"cluster_id":"a","status":"error","error":"down","latency_ms":3}]})"));
  EXPECT_EQ(cli.run({"health"}), kError);
  EXPECT_THAT(cli.out, HasSubstr("down"));
  EXPECT_EQ(cli.server.requests().size(), 1U);
}

TEST(InspectTest, RouteShowsPairsAndWhy) {
  Client cli(always(
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

TEST(InspectTest, PreviewSendsTheConfigsTemplates) {
  Client cli(always(
      200, R"({"attributes":{"A":{"kind":"text","value":"v"}},"errors":{"B":"template: B:1:4: no"}})"));
  const std::string config = cli.write_file(
      "w.yaml", "clusters:\n- name: c\n  attributes:\n    A: {kind: text, value: '{{ .Job.ID }}'}\n");
  const std::string job = cli.write_file("job.json", R"({"name":"n"})");
  EXPECT_EQ(cli.run({"attributes", "preview", "-c", config, "--cluster", "c", "--job-file", job}), kError);
  EXPECT_EQ(
      cli.server.requests().back().body,
      R"({"cluster":"c","attributes":{"A":{"kind":"text","value":"{{ .Job.ID }}"}},"job":{"name":"n"}})");
  EXPECT_THAT(cli.out, HasSubstr("template: B:1:4: no"));
  EXPECT_EQ(cli.run({"attributes", "preview", "-c", config, "--cluster", "other"}), kUsage);
}

TEST(InspectTest, StatsShowCountsAsColumns) {
  Client cli(always(
      200, R"({"data":[{"start":"2026-07-01T00:00:00.000Z","counts":{"FAILED":1,"SUCCEEDED":3},)"
           R"("success_rate":0.75,"p50_ms":20}],"counts":{"FAILED":1,"SUCCEEDED":3},"success_rate":0.75})"));
  EXPECT_EQ(cli.run({"stats", "jobs"}), kOk);
  EXPECT_THAT(cli.out, StartsWith("START                     FAILED  SUCCEEDED  SUCCESS RATE  P50 MS\n"));
  EXPECT_THAT(cli.out, HasSubstr("\ntotal                     1       3"));
}

TEST(InspectTest, EventsAreRows) {
  Client cli(always(
      200, R"({"data":[{"at":"2026-05-28T20:26:30.000Z","from":"NEW","to":"ACCEPTED","actor":"waybill"}]})"));
  EXPECT_EQ(cli.run({"events", "j1"}), kOk);
  EXPECT_EQ(cli.out,
            "AT   FROM  TO        REASON  ACTOR    INSTANCE\n10s  NEW   ACCEPTED          waybill\n");
}

}  // namespace
}  // namespace waybill::cli
