#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <future>
#include <string>

#include "waybill/api/rest/http/server_fixture_test.h"

// Streams, the end of a server, and where it listens.
namespace waybill::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(HttpServerTest, AHandlersExceptionIs500WithoutItsText) {
  start();
  const std::string answer = ask("GET /throw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, Not(HasSubstr("the handler's mistake")));
}

TEST_F(HttpServerTest, AStreamIsChunkedAndTheConnectionGoesOn) {
  start();
  Client client(server_->port());
  client.send(get("/stream") + get("/after"));
  const std::string answer = client.read_until("/after");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(answer,
              HasSubstr("\r\n\r\n6\r\npart0;\r\n6\r\npart1;\r\n6\r\npart2;\r\n0\r\n\r\nHTTP/1.1 200"));
}

TEST_F(HttpServerTest, AStreamToAnOldClientEndsWithTheConnection) {
  start();
  const std::string answer = ask("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_TRUE(answer.ends_with("\r\n\r\npart0;part1;part2;"));
}

TEST_F(HttpServerTest, AHeadOfAStreamHasNoBody) {
  start();
  const std::string answer = ask("HEAD /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  EXPECT_THAT(answer, HasSubstr("chunked"));
}

// Counts the streams that run.
Handler waiting_stream(std::shared_ptr<std::atomic<int>> running) {
  return [running](std::shared_ptr<Request>) -> Task<Reply> {
    Reply reply;
    reply.stream = [running](std::shared_ptr<StreamSink> sink) -> Task<void> {
      ++*running;
      bool open = co_await sink->write("hello");
      while (open) open = co_await sink->wait(absl::Hours(1));
      --*running;
    };
    co_return reply;
  };
}

TEST_F(HttpServerTest, AStreamNoticesThatItsClientHasGone) {
  auto running = std::make_shared<std::atomic<int>>(0);
  start({}, waiting_stream(running));
  Client client(server_->port());
  client.send(get("/"));
  client.read_until("hello");
  EXPECT_EQ(*running, 1);
  client.close();
  wait_until([&] { return *running == 0 && connections() == 0; });
}

TEST_F(HttpServerTest, AFailedStreamIsCutWithoutItsEnd) {
  start({}, [](std::shared_ptr<Request>) -> Task<Reply> {
    Reply reply;
    reply.stream = [](std::shared_ptr<StreamSink> sink) -> Task<void> {
      const bool sent = co_await sink->write("half");
      static_cast<void>(sent);
      sink->fail();
    };
    co_return reply;
  });
  const std::string answer = ask(get("/"));
  EXPECT_THAT(answer, HasSubstr("4\r\nhalf\r\n"));
  EXPECT_FALSE(answer.ends_with("0\r\n\r\n"));
}

TEST_F(HttpServerTest, AClientThatDoesNotReadStopsTheStreamAndIsCut) {
  HttpOptions options;
  options.write_timeout = absl::Milliseconds(200);
  auto written = std::make_shared<std::atomic<int>>(0);
  start(options, [written](std::shared_ptr<Request>) -> Task<Reply> {
    Reply reply;
    reply.stream = [written](std::shared_ptr<StreamSink> sink) -> Task<void> {
      while (true) {
        const bool sent = co_await sink->write(std::string(1 << 20, 'x'));
        if (!sent) break;
        ++*written;
      }
      *written = -1;
    };
    co_return reply;
  });
  Client client(server_->port());
  client.send(get("/"));
  wait_until([&] { return *written == -1; });
  wait_until([&] { return connections() == 0; });
}

TEST_F(HttpServerTest, StopEndsIdleConnectionsAndStreams) {
  auto running = std::make_shared<std::atomic<int>>(0);
  start({}, waiting_stream(running));
  Client streaming(server_->port());
  streaming.send(get("/"));
  streaming.read_until("hello");
  Client idle(server_->port());
  wait_until([&] { return connections() == 2; });
  stop();
  EXPECT_EQ(*running, 0);
  EXPECT_EQ(connections(), 0);
  Client late(server_->port());
  EXPECT_FALSE(late.connected());
}

TEST_F(HttpServerTest, StopLetsARequestInProgressEnd) {
  auto gate = std::make_shared<boost::asio::steady_timer>(io_, std::chrono::steady_clock::time_point::max());
  start({}, [gate](std::shared_ptr<Request>) -> Task<Reply> {
    boost::system::error_code ignored;
    co_await gate->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    Reply reply;
    reply.body = "finished";
    co_return reply;
  });
  Client client(server_->port());
  client.send(get("/"));
  wait_until([&] { return run([&]() -> Task<int> { co_return server_->in_flight(); }) == 1; });
  auto stopped = std::async(std::launch::async, [&] { stop(); });
  wait_until([&] { return !Client(server_->port()).connected(); });  // it accepts no more
  boost::asio::post(io_, [gate] { gate->cancel(); });
  const std::string answer = client.read();
  EXPECT_THAT(answer, HasSubstr("finished"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  client.close();
  stopped.get();
}

TEST_F(HttpServerTest, ServesAUnixSocketAndRemovesItAtTheEnd) {
  char folder[] = "/tmp/waybill-http-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/socket";
  HttpOptions options;
  options.address = "unix:" + path;
  start(options, [](std::shared_ptr<Request> request) -> Task<Reply> {
    Reply reply;
    reply.body = request->peer_local ? "local" : "remote";
    co_return reply;
  });
  Client client(path);
  client.send(get("/"));
  EXPECT_THAT(client.read_until("local"), HasSubstr("200 OK"));
  client.close();
  stop();
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  ::rmdir(folder);
}

TEST_F(HttpServerTest, AnAddressThatIsTakenOrIsNoneIsAnError) {
  start();
  for (const std::string& address :
       {"127.0.0.1:" + std::to_string(server_->port()), std::string("127.0.0.1"), std::string("127.0.0.1:x"),
        std::string("127.0.0.1:99999"), std::string("::1:80"), std::string("unix:")}) {
    HttpOptions options;
    options.address = address;
    const absl::Status status = run([&]() -> Task<absl::Status> {
      HttpServer other(io_.get_executor(), options, echo, log_);
      co_return other.start();
    });
    EXPECT_FALSE(status.ok()) << address;
    EXPECT_THAT(std::string(status.message()), HasSubstr(address)) << address;
  }
}

TEST_F(HttpServerTest, ListensOnEveryAddressAndOnIpv6) {
  HttpOptions options;
  options.address = ":0";
  start(options);
  EXPECT_THAT(ask("GET /all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr("GET /all"));
}

}  // namespace
}  // namespace waybill::rest
