#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>

#include "waybill/api/rest/http/server_fixture_test.h"

// What a client may send, and what of it is refused.
namespace waybill::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_F(HttpServerTest, KeepsAConnectionForTheNextRequest) {
  start();
  Client client(server_->port());
  for (const char* path : {"/one", "/two"}) {
    client.send(get(path));
    const std::string answer = client.read_until("[]");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr(std::string("GET ") + path));
    EXPECT_THAT(answer, Not(HasSubstr("Connection:")));
  }
  EXPECT_EQ(connections(), 1);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "POST /n" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
  }
  Client client(server_->port());
  client.send(many);
  const std::string answers = client.read_until("/n99 [abc]");
  std::size_t at = 0;
  for (int i = 0; i < 100; ++i) {
    at = answers.find("POST /n" + std::to_string(i) + " [abc]", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(HttpServerTest, ClosesWhereTheClientWantsIt) {
  start();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  Client old(server_->port());
  old.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(old.read_until("[]"), HasSubstr("Connection: keep-alive\r\n"));
  old.send("GET /b HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read(), HasSubstr("GET /b"));
}

TEST_F(HttpServerTest, HeadHasTheLengthAndNoBody) {
  start();
  const std::string answer = ask("HEAD /abc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 12\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServerTest, EveryAnswerCarriesAnIdAndADate) {
  start();
  const std::string made = ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(made, HasSubstr("X-Request-Id: "));
  EXPECT_THAT(made, HasSubstr(" GMT\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine-7\r\nConnection: close\r\n\r\n"),
              HasSubstr("X-Request-Id: mine-7\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: a b<c>\r\nConnection: close\r\n\r\n"),
              Not(HasSubstr("a b<c>")));
  EXPECT_THAT(ask("NONSENSE\r\n\r\n"), HasSubstr("X-Request-Id: "));
}

TEST_F(HttpServerTest, AHeaderWithALineBreakIsLeftOut) {
  start();
  const std::string answer = ask("GET /inject HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
}

struct BadRequest {
  const char* name;
  std::string bytes;
  const char* status;
};

TEST_F(HttpServerTest, RefusesWhatIsNoRequestOrCouldBeTwo) {
  start();
  const BadRequest cases[] = {
      {"garbage", "GARBAGE\r\n\r\n", "400"},
      {"tls hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9) + "\r\n\r\n", "400"},
      {"no version", "GET /\r\n\r\n", "400"},
      {"no host", "GET / HTTP/1.1\r\n\r\n", "400"},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
      {"length and coding",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "400"},
      {"coding and length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
       "400"},
      {"two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
       "400"},
      {"the same length twice",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nh", "400"},
      {"a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello", "400"},
      {"a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nhello", "400"},
      {"a length with a sign", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", "400"},
      {"an unknown coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
       "400"},
      {"two codings", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
       "400"},
      {"coding twice",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "identity\r\n\r\n0\r\n\r\n",
       "400"},
      {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      {"a broken chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
      {"a space before the colon", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n", "400"},
      {"a zero byte", std::string("GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", 35), "400"},
      {"latin-1", "GET / HTTP/1.1\r\nHost: x\r\nX: \xe4\r\n\r\n", "400"},
      {"a relative target", "GET abc HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
      {"an unknown expectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: luck\r\nContent-Length: 1\r\n\r\n",
       "417"},
  };
  for (const BadRequest& bad : cases) {
    const std::string answer = ask(bad.bytes);
    EXPECT_THAT(answer, StartsWith(std::string("HTTP/1.1 ") + bad.status)) << bad.name;
    EXPECT_EQ(count(answer, "\r\nDate: "), 1U) << bad.name;
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n")) << bad.name;
    EXPECT_THAT(answer, HasSubstr("{\"error\":")) << bad.name;
  }
  EXPECT_THAT(ask("GET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr("GET /fine"));
}

TEST_F(HttpServerTest, TakesAWholeUrlAsTarget) {
  start();
  EXPECT_THAT(ask("GET http://x/abc?d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("GET /abc?d ["));
}

TEST_F(HttpServerTest, HeadersOverTheLimitAre431) {
  HttpOptions options;
  options.max_header_bytes = 2000;
  start(options);
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(3000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask("GET /" + std::string(3000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 300; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_THAT(ask(many + "\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, NewLimitsCountForTheNextRequestAndTheAddressStays) {
  start();
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" +
                           std::string(1000, 'x');
  EXPECT_THAT(ask(post), StartsWith("HTTP/1.1 200"));
  HttpOptions smaller;
  smaller.address = "127.0.0.1:1";
  smaller.max_body_bytes = 999;
  run([&]() -> Task<int> {
    server_->set_limits(smaller);
    co_return 0;
  });
  EXPECT_THAT(ask(post), StartsWith("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, ABodyOverTheLimitIs413AndTheClientSeesIt) {
  HttpOptions options;
  options.max_body_bytes = 1000;
  start(options);
  const std::string big(3'000'000, 'x');
  const std::string answer = ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n" + big);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(answer, HasSubstr("\"code\":\"body_too_large\""));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" +
                  std::string(2048, 'x') + "\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" +
                  std::string(1000, 'x')),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, ABodyMayComeInChunksAndInPieces) {
  start();
  Client client(server_->port());
  const std::string request =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
  for (const char byte : request) client.send(std::string_view(&byte, 1));
  EXPECT_THAT(client.read_until("]"), HasSubstr("POST /c [abcde]"));
}

TEST_F(HttpServerTest, TellsAWaitingClientToContinue) {
  start();
  Client client(server_->port());
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  EXPECT_THAT(client.read_until("]"), HasSubstr("POST /e [ab]"));
}

TEST_F(HttpServerTest, ASlowClientIsCutAndOthersAreServed) {
  HttpOptions options;
  options.read_header_timeout = absl::Milliseconds(100);
  options.read_timeout = absl::Milliseconds(200);
  start(options);
  Client in_headers(server_->port());
  in_headers.send("GET / HT");
  Client in_body(server_->port());
  in_body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab");
  EXPECT_THAT(ask("GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr("GET /ok"));
  EXPECT_EQ(in_headers.read(), "");
  EXPECT_TRUE(in_headers.closed());
  EXPECT_EQ(in_body.read(), "");
  EXPECT_TRUE(in_body.closed());
}

TEST_F(HttpServerTest, AnIdleConnectionIsClosed) {
  HttpOptions options;
  options.idle_timeout = absl::Milliseconds(100);
  start(options);
  Client client(server_->port());
  client.send(get("/"));
  EXPECT_THAT(client.read(), HasSubstr("GET /"));
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpServerTest, MoreConnectionsThanAllowedGet503) {
  HttpOptions options;
  options.max_connections = 2;
  start(options);
  Client one(server_->port());
  Client two(server_->port());
  wait_until([&] { return connections() == 2; });
  Client three(server_->port());
  const std::string answer = three.read();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  one.close();
  wait_until([&] { return connections() == 1; });
  Client four(server_->port());
  four.send(get("/again"));
  EXPECT_THAT(four.read_until("]"), HasSubstr("GET /again"));
}

TEST_F(HttpServerTest, MoreRequestsThanAllowedGet503ButProbesAreAnswered) {
  auto gate = std::make_shared<boost::asio::steady_timer>(io_, std::chrono::steady_clock::time_point::max());
  HttpOptions options;
  options.max_in_flight = 1;
  start(options, [gate](std::shared_ptr<Request> request) -> Task<Reply> {
    if (request->target == "/wait") {
      boost::system::error_code ignored;
      co_await gate->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    Reply reply;
    reply.body = "done";
    co_return reply;
  });
  Client waiting(server_->port());
  waiting.send(get("/wait"));
  wait_until([&] { return run([&]() -> Task<int> { co_return server_->in_flight(); }) == 1; });
  const std::string refused = ask("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("Retry-After"));
  EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr("done"));
  boost::asio::post(io_, [gate] { gate->cancel(); });
  EXPECT_THAT(waiting.read_until("done"), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace waybill::rest
