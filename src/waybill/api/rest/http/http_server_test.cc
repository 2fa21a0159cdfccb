#include "waybill/api/rest/http/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace waybill::rest {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A plain blocking client; gives up after 20 seconds.
class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // What is there until `enough` says so, or until the server closes.
  std::string read(const std::function<bool(const std::string&)>& enough = [](const auto&) {
    return false;
  }) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!enough(held_) && std::chrono::steady_clock::now() < deadline) {
      pollfd waiting{fd_, POLLIN, 0};
      if (::poll(&waiting, 1, 1000) <= 0) continue;
      char bytes[4096];
      const ssize_t size = ::recv(fd_, bytes, sizeof bytes, 0);
      if (size <= 0) {
        closed_ = true;
        break;
      }
      held_.append(bytes, static_cast<std::size_t>(size));
    }
    return std::exchange(held_, {});
  }
  std::string read_until(const std::string& text) {
    return read([&](const std::string& got) { return got.find(text) != std::string::npos; });
  }
  [[nodiscard]] bool closed() const { return closed_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
  bool connected_ = false;
  bool closed_ = false;
  std::string held_;
};

std::string get(const std::string& path) { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"; }

// Answers with what it was asked, and some paths with something special.
Task<Reply> echo(std::shared_ptr<Request> request) {
  Reply reply;
  reply.content_type = "text/plain";
  if (request->target == "/throw") throw std::runtime_error("the handler's mistake");
  if (request->target == "/inject") reply.headers.add("X-Echo", "a\r\nSet-Cookie: b=c");
  if (request->target == "/stream") {
    reply.stream = [](std::shared_ptr<StreamSink> sink) -> Task<void> {
      for (int i = 0; i < 3; ++i) {
        const bool sent = co_await sink->write("part" + std::to_string(i) + ";");
        if (!sent) co_return;
      }
    };
    co_return reply;
  }
  reply.body = request->method_name + " " + request->target + " [" + request->body + "]";
  co_return reply;
}

class HttpServerTest : public ::testing::Test {
 protected:
  ~HttpServerTest() override {
    if (server_) stop();
    guard_.reset();
    thread_.join();
    server_.reset();
  }
  template <class Function>
  auto run(Function function) {
    return boost::asio::co_spawn(io_, std::move(function), boost::asio::use_future).get();
  }
  void start(HttpOptions options = {}, Handler handler = echo) {
    auto started = run([&, options, handler]() -> Task<absl::Status> {
      server_ = std::make_unique<HttpServer>(io_.get_executor(), options, handler, log_);
      co_return server_->start();
    });
    ASSERT_TRUE(started.ok()) << started;
  }
  void stop() {
    run([&]() -> Task<int> {
      co_await server_->stop();
      co_return 0;
    });
  }
  int connections() {
    return run([&]() -> Task<int> { co_return server_->connections(); });
  }
  Client connect() { return Client(server_->port()); }
  std::string ask(const std::string& bytes) {
    Client client(server_->port());
    client.send(bytes);
    return client.read();
  }
  void wait_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "waited in vain";
      std::this_thread::yield();
    }
  }

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{io_.get_executor()};
  std::thread thread_{[this] { io_.run(); }};
  Log log_{LogLevel::kError};
  std::unique_ptr<HttpServer> server_;
};

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
