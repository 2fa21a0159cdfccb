#pragma once

// A server on a thread of its own and a plain blocking client, for the tests of http/.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "waybill/api/rest/http/http_server.h"

namespace waybill::rest {

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

inline std::string get(const std::string& path) { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"; }

// Answers with what it was asked, and some paths with something special.
inline Task<Reply> echo(std::shared_ptr<Request> request) {
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

}  // namespace waybill::rest
