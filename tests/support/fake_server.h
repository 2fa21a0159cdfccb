#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace waybill::testing {

struct FakeRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// One connection of a FakeServer; it is closed when the handler returns.
class FakeConnection {
 public:
  FakeConnection(int socket, int stopped) : socket_(socket), stopped_(stopped) {}

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // A whole answer with its length.
  void answer(int status, const std::string& body, const std::string& more_headers = "",
              const std::string& type = "application/json") const {
    write("HTTP/1.1 " + std::to_string(status) + " Word\r\nContent-Type: " + type + "\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\nConnection: close\r\n" + more_headers + "\r\n" + body);
  }
  // Nothing more until the client goes away or the server stops.
  void hold() const {
    pollfd watched[] = {{socket_, POLLIN | POLLRDHUP, 0}, {stopped_, POLLIN, 0}};
    poll(watched, 2, 60'000);
  }
  // Ends with a reset instead of an orderly end.
  void reset() const {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  [[nodiscard]] int socket() const { return socket_; }

 private:
  int socket_;
  int stopped_;
};

// A scripted HTTP server on a free loopback port, a thread for each connection. The handler may be called by
// several threads at once; it writes whatever bytes it likes.
class FakeServer {
 public:
  using Handler = std::function<void(const FakeRequest&, const FakeConnection&)>;

  explicit FakeServer(Handler handler) : handler_(std::move(handler)), stopped_(eventfd(0, 0)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0) {
      throw std::runtime_error("no free loopback port");
    }
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~FakeServer() {
    eventfd_write(stopped_, 1);
    acceptor_.join();
    for (std::thread& thread : connections_) thread.join();
    close(listener_);
    close(stopped_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // What has been asked so far, in order.
  [[nodiscard]] std::vector<FakeRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  [[nodiscard]] std::size_t count(const std::string& method, const std::string& path) const {
    std::size_t found = 0;
    for (const FakeRequest& request : requests()) {
      if (request.method == method && request.target.starts_with(path)) ++found;
    }
    return found;
  }

 private:
  void accept_all() {
    while (true) {
      pollfd watched[] = {{listener_, POLLIN, 0}, {stopped_, POLLIN, 0}};
      poll(watched, 2, -1);
      if (watched[1].revents != 0) return;
      const int socket = accept(listener_, nullptr, nullptr);
      if (socket >= 0) connections_.emplace_back([this, socket] { serve(socket); });
    }
  }

  void serve(int socket) {
    FakeRequest request;
    if (read_request(socket, request)) {
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request);
      }
      handler_(request, FakeConnection(socket, stopped_));
    }
    close(socket);
  }

  bool read_more(int socket, std::string& bytes) const {
    pollfd watched[] = {{socket, POLLIN, 0}, {stopped_, POLLIN, 0}};
    poll(watched, 2, 60'000);
    if (watched[1].revents != 0) return false;
    char block[16384];
    const ssize_t got = recv(socket, block, sizeof block, 0);
    if (got <= 0) return false;
    bytes.append(block, static_cast<std::size_t>(got));
    return true;
  }

  bool read_request(int socket, FakeRequest& request) const {
    std::string bytes;
    std::size_t end = std::string::npos;
    while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(socket, bytes)) return false;
    }
    const std::string head = bytes.substr(0, end + 2);
    request.body = bytes.substr(end + 4);
    const std::size_t first = head.find(' ');
    const std::size_t second = head.find(' ', first + 1);
    request.method = head.substr(0, first);
    request.target = head.substr(first + 1, second - first - 1);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t line_end = head.find("\r\n", at);
      const std::size_t colon = head.find(':', at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      const std::size_t value = head.find_first_not_of(' ', colon + 1);
      request.headers[name] = head.substr(value, line_end - value);
      at = line_end + 2;
    }
    const auto length = request.headers.find("content-length");
    const std::size_t wanted = length == request.headers.end() ? 0 : std::stoul(length->second);
    while (request.body.size() < wanted) {
      if (!read_more(socket, request.body)) return false;
    }
    return true;
  }

  Handler handler_;
  int stopped_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  std::list<std::thread> connections_;
  mutable std::mutex mutex_;
  std::vector<FakeRequest> requests_;
};

}  // namespace waybill::testing
