// What a bad, slow or hostile server can do: a clear error, never a crash, a hang or a raw control character.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/scripted_client.h"
#include "waybill/base/status.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/http.h"

namespace waybill::cli {
namespace {

using testing::CliRun;
using testing::FakeConnection;
using testing::FakeRequest;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedClient;

FakeServer::Handler bytes(std::string raw) {
  return [=](const FakeRequest&, const FakeConnection& connection) { connection.write(raw); };
}
FakeServer::Handler body(std::string text) {
  return [=](const FakeRequest&, const FakeConnection& connection) { connection.answer(200, text); };
}

TEST(HostileServerTest, AnswersThatAreNoneAreErrors) {
  const std::pair<const char*, FakeServer::Handler> cases[] = {
      {"garbage JSON", body("{\"id\": \"j1\",")},
      {"not JSON", body("<html></html>")},
      {"empty body", body("")},
      {"another type", body("[1, 2, 3]")},
      {"a number", body("7")},
      {"bad UTF-8", body("{\"id\":\"\xff\"}")},
      {"U+0000", body(R"({"id":"a\u0000b"})")},
      {"deep", body(std::string(100'000, '['))},
      {"no HTTP", bytes("SSH-2.0-OpenSSH\r\n")},
      {"nothing", bytes("")},
      {"half a head", bytes("HTTP/1.1 200 OK\r\nContent-Le")},
      {"truncated body", bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"j1\"}")},
      {"broken chunks", bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc")},
      {"bad length", bytes("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}")},
  };
  for (const auto& [what, handler] : cases) {
    ScriptedClient cli(handler);
    EXPECT_EQ(cli.run({"get", "job", "j1"}), kError) << what << cli.out;
    EXPECT_EQ(cli.out, "") << what;
    EXPECT_THAT(cli.err, ::testing::StartsWith("error: ")) << what;
    EXPECT_EQ(cli.run({"list", "jobs"}), kError) << what;
    EXPECT_EQ(cli.run({"wait", "j1", "--timeout", "1s"}) == kOk, false) << what;
  }
}

TEST(HostileServerTest, RedirectsAreNotFollowed) {
  FakeServer other(body("{}"));
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    connection.answer(302, "", "Location: " + other.url() + "/api/v1/job/j1\r\n");
  });
  cli.variables["WAYBILL_TOKEN"] = "t0ken";
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kError);
  EXPECT_THAT(cli.err, HasSubstr(other.url()));
  EXPECT_TRUE(other.requests().empty());
}

TEST(HostileServerTest, WordsOfTheWrongTypeAreSkipped) {
  ScriptedClient cli(
      body(R"({"id":7,"name":["x"],"status":{"a":1},"tags":"no","created_at":1e300,"started_at":"never",)"
           R"("duration_ms":"long","extra_job_attributes":{"A":7},"result":[]})"));
  EXPECT_EQ(cli.run({"get", "job", "j1"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, "id:  7\n");
}

TEST(HostileServerTest, ControlCharactersNeverReachTheTerminal) {
  const std::string evil = R"(\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e)";
  ScriptedClient cli(body(
      R"({"id":"j1)" + evil + R"(","name":")" + evil + R"(","status":")" + evil + R"(","tags":[")" + evil +
      R"("],"error":")" + evil + R"(","extra_job_attributes":{")" + evil + R"(":{"value":")" + evil +
      R"("}},)" + R"("result":{"columns":[{"name":")" + evil + R"("}],"data":[[")" + evil + R"("]]}})"));
  cli.out_is_terminal = true;
  cli.err_is_terminal = true;
  cli.variables["NO_COLOR"] = "1";
  for (const char* form : {"table", "wide", "json", "yaml", "jsonl", "name"}) {
    EXPECT_EQ(cli.run({"get", "job", "j1", "-o", form}), kOk) << form;
    for (const char* control : {"\x1b", "\a", "\xc2\x9b", "\xe2\x80\xae"}) {
      EXPECT_THAT(cli.out, Not(HasSubstr(control))) << form;
    }
  }
  ScriptedClient failing([&](const FakeRequest&, const FakeConnection& connection) {
    connection.answer(400, R"({"error":")" + evil + R"("})");
  });
  EXPECT_EQ(failing.run({"get", "job", "j1"}), kError);
  EXPECT_THAT(failing.err, Not(HasSubstr("\x1b")));
}

absl::StatusOr<HttpReply> sent(const FakeServer& server, HttpRequest request) {
  CliRun run;
  std::istringstream in;
  std::ostringstream out;
  const Environment environment{
      .variables = {}, .in = in, .out = out, .err = out, .now = nullptr, .sleep = nullptr};
  const Http http({.url = server.url(), .url_origin = "--url", .user = "ann", .token = "", .ca_file = ""},
                  environment);
  return http.send(request);
}

TEST(HttpTest, ABodyOverTheLimitIsRefused) {
  const FakeServer server(body(std::string(3 << 20, 'x')));
  const auto reply = sent(server, {.target = "/", .body_limit = 1 << 20});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(error_word(reply.status()), "too_large");
}

TEST(HttpTest, AServerThatSaysNothingIsGivenUp) {
  const FakeServer server([](const FakeRequest&, const FakeConnection& connection) {
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    connection.hold();
  });
  const auto reply = sent(server, {.target = "/", .timeout = absl::Milliseconds(50)});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(error_word(reply.status()), "timeout");
  EXPECT_EQ(exit_code_of(reply.status()), kTimeout);
}

TEST(HttpTest, RepliesCarryStatusHeadersAndBody) {
  const FakeServer server([](const FakeRequest& request, const FakeConnection& connection) {
    connection.write("HTTP/1.1 100 Continue\r\n\r\n");
    connection.answer(418, request.body, "X-Twice: a\r\nx-twice:  b \r\n");
  });
  const auto reply = sent(server, {.method = "POST", .target = "/x", .body = "hello"});
  ASSERT_TRUE(reply.ok()) << message(reply.status());
  EXPECT_EQ(reply->status, 418);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(reply->header("x-twice"), "b");
}

TEST(HttpTest, EncodesWhatAUrlCantHold) {
  EXPECT_EQ(url_encoded("a b/c?d&e=%ü"), "a%20b%2Fc%3Fd%26e%3D%25%C3%BC");
  EXPECT_EQ(url_encoded(""), "");
}

// A log of a job that ends when all of it was read; each answer gives at most `piece` bytes and then breaks.
class BreakingLog {
 public:
  BreakingLog(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}

  void serve(const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.ends_with("/status")) {
      return connection.answer(
          200, read_ >= text_.size() ? R"({"status":"SUCCEEDED"})" : R"({"status":"RUNNING"})");
    }
    const std::size_t at = request.target.find("offset=");
    const std::size_t offset = at == std::string::npos ? 0 : std::stoul(request.target.substr(at + 7));
    const std::string part = text_.substr(offset, piece_);
    read_ = std::max(read_.load(), offset + part.size());
    connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", part.size());
    if (!part.empty()) connection.write(size + part + "\r\n");
    const bool last = offset + part.size() >= text_.size();
    if (last) connection.write("0\r\n\r\n");  // else it breaks off
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::atomic<std::size_t> read_ = 0;
};

TEST(LogTest, FollowingGoesOnWhereAConnectionBrokeWithoutGapsOrDoubles) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i) + "\n";
  BreakingLog log(text, 37);
  ScriptedClient cli(
      [&](const FakeRequest& request, const FakeConnection& connection) { log.serve(request, connection); });
  EXPECT_EQ(cli.run({"logs", "j1", "-f"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, text);
}

TEST(LogTest, FollowingWithATailBeginsAtTheLastLines) {
  std::atomic<int> looks = 0;
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.ends_with("/status")) {
      return connection.answer(200, ++looks > 1 ? R"({"status":"SUCCEEDED"})" : R"({"status":"RUNNING"})");
    }
    if (request.target.find("follow") == std::string::npos) {
      return connection.answer(200, "two\nthree\n", "X-Log-Size: 14\r\n", "text/plain");
    }
    EXPECT_THAT(request.target, HasSubstr("offset="));
    const bool first = request.target.find("offset=14") != std::string::npos;
    connection.answer(200, first ? "four\n" : "", "", "text/plain");
  });
  EXPECT_EQ(cli.run({"logs", "j1", "-f", "--tail", "2", "--stderr"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, "two\nthree\nfour\n");
  EXPECT_THAT(cli.server.requests().front().target, HasSubstr("/stderr?tail=2"));
}

TEST(LogTest, ATailFromAServerThatDoesNotSayTheSizeIsCountedHere) {
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.ends_with("/status")) return connection.answer(200, R"({"status":"SUCCEEDED"})");
    const bool rest = request.target.find("offset=14") != std::string::npos;
    const bool tail = request.target.find("tail=") != std::string::npos;
    connection.answer(200, rest ? "" : tail ? "three\n" : "one\ntwo\nthree\n", "", "text/plain");
  });
  EXPECT_EQ(cli.run({"logs", "j1", "-f", "--tail", "1"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, "three\n");
}

TEST(LogTest, AJobWithoutALogIsWaitedForAndShowsNothing) {
  std::atomic<int> looks = 0;
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.ends_with("/status")) {
      return connection.answer(200, ++looks > 2 ? R"({"status":"SUCCEEDED"})" : R"({"status":"NEW"})");
    }
    connection.answer(404, R"({"error":"no log"})");
  });
  EXPECT_EQ(cli.run({"logs", "j1", "-f"}), kOk) << cli.err;
  EXPECT_EQ(cli.out, "");
  EXPECT_EQ(cli.run({"logs", "j1"}), kNotFound);
}

TEST(LogTest, APipeGetsEveryByteAndATerminalOnlyTextAndColours) {
  const std::string log = "a\x1b[31mred\x1b[2J\xff\n";
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    connection.answer(200, log, "", "text/plain");
  });
  EXPECT_EQ(cli.run({"logs", "j1"}), kOk);
  EXPECT_EQ(cli.out, log);
  cli.out_is_terminal = true;
  EXPECT_EQ(cli.run({"logs", "j1"}), kOk);
  EXPECT_EQ(cli.out, "a\x1b[31mred\n\x1b[0m");
}

TEST(LogTest, SinceKeepsTheLaterLines) {
  ScriptedClient cli([&](const FakeRequest&, const FakeConnection& connection) {
    connection.answer(200, "2026-05-28 20:00:00 old\n2026-05-28 20:20:00 new\n  more\n", "", "text/plain");
  });
  EXPECT_EQ(cli.run({"logs", "j1", "--since", "10m"}), kOk);  // now is 20:26:40
  EXPECT_EQ(cli.out, "2026-05-28 20:20:00 new\n  more\n");
}

TEST(LogTest, AnInterruptEndsAFollowAndSaysThatTheJobGoesOn) {
  ScriptedClient* self = nullptr;
  ScriptedClient cli([&](const FakeRequest& request, const FakeConnection& connection) {
    if (request.target.ends_with("/status")) return connection.answer(200, R"({"status":"RUNNING"})");
    if (request.target.find("follow") == std::string::npos)
      return connection.answer(200, "one\n", "", "text/plain");
    connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\ntwo\n");
    self->interrupt();
    connection.hold();
  });
  self = &cli;
  EXPECT_EQ(cli.run({"logs", "j1", "-f"}), kInterrupted);
  EXPECT_THAT(cli.out, ::testing::StartsWith("one\n"));
  EXPECT_THAT(cli.err, HasSubstr("waybill cancel j1"));
}

}  // namespace
}  // namespace waybill::cli
