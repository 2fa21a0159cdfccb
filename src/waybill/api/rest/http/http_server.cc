#include "waybill/api/rest/http/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/api/rest/http/connection.h"
#include "waybill/api/rest/http/server_core.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace asio = boost::asio;
using asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::string_view kUnix = "unix:";

struct Place {
  std::string host;  // "" : every address
  std::uint16_t port = 0;
};

absl::StatusOr<Place> parse_place(std::string_view address) {
  const auto wrong = [&] {
    return invalid(fmt::format(
        "server.addr: \"{}\" is no address: write host:port, [v6]:port, :port or unix:/path", address));
  };
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = address.substr(0, colon);
  const std::string_view digits = address.substr(colon + 1);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();
  }
  Place place;
  place.host = std::string(host);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return wrong();
  return place;
}

Peer peer_of(const PlainSocket& socket) {
  boost::system::error_code problem;
  const auto endpoint = socket.remote_endpoint(problem);
  Peer peer;
  if (problem) return peer;
  const int family = endpoint.protocol().family();
  if (family == AF_UNIX) {
    peer.address = "unix";
    peer.local = true;
    return peer;
  }
  tcp::endpoint ip;
  if (endpoint.size() > ip.capacity()) return peer;
  std::memcpy(ip.data(), endpoint.data(), endpoint.size());
  ip.resize(endpoint.size());
  peer.address = ip.address().is_v6() && ip.address().to_v6().is_v4_mapped()
                     ? asio::ip::make_address_v4(asio::ip::v4_mapped, ip.address().to_v6()).to_string()
                     : ip.address().to_string();
  return peer;
}

}  // namespace

// The part of a server that listens.
struct HttpListener : ServerCore {
  HttpListener(asio::any_io_executor executor, HttpOptions http_options, Handler request_handler,
               Log& server_log)
      : ServerCore(std::move(executor), std::move(http_options), std::move(request_handler), server_log) {}

  std::vector<std::unique_ptr<Acceptor>> acceptors;
  std::shared_ptr<TlsContext> tls;
  std::uint16_t port = 0;
  std::string socket_path;
};

namespace {

absl::Status cannot_listen(std::string_view address, const boost::system::error_code& problem) {
  return unavailable(fmt::format("can't listen on {}: {}", address, problem.message()));
}

absl::Status listen_on(HttpListener& core, const asio::generic::stream_protocol::endpoint& endpoint) {
  auto acceptor = std::make_unique<Acceptor>(core.io);
  boost::system::error_code problem;
  acceptor->open(endpoint.protocol(), problem);
  if (!problem) acceptor->set_option(Acceptor::reuse_address(true), problem);
  if (!problem && endpoint.protocol().family() == AF_INET6) {
    const int on = 1;
    ::setsockopt(acceptor->native_handle(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  }
  if (!problem) acceptor->bind(endpoint, problem);
  if (!problem) acceptor->listen(Acceptor::max_listen_connections, problem);
  if (problem) return cannot_listen(core.options.address, problem);
  core.acceptors.push_back(std::move(acceptor));
  return absl::OkStatus();
}

absl::Status listen_unix(HttpListener& core, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(path.c_str());
  if (path.empty() || path.size() > 107) {
    return invalid(fmt::format("server.addr: \"{}\" has no path of a unix socket (1 to 107 bytes)",
                               core.options.address));
  }
  const asio::local::stream_protocol::endpoint endpoint(path);
  WB_TRY(listen_on(core, {endpoint.data(), endpoint.size()}));
  ::chmod(path.c_str(), 0660);
  core.socket_path = path;
  return absl::OkStatus();
}

absl::Status listen_tcp(HttpListener& core, const Place& place) {
  boost::system::error_code problem;
  std::vector<tcp::endpoint> endpoints;
  if (place.host.empty()) {
    endpoints.emplace_back(tcp::v4(), place.port);
  } else {
    tcp::resolver resolver(core.io);
    const auto found = resolver.resolve(place.host, std::to_string(place.port), problem);
    if (problem) return cannot_listen(core.options.address, problem);
    endpoints.push_back(found.begin()->endpoint());
  }
  WB_TRY(listen_on(core, {endpoints[0].data(), endpoints[0].size()}));
  const auto bound = core.acceptors[0]->local_endpoint(problem);
  if (problem) return cannot_listen(core.options.address, problem);
  tcp::endpoint local;
  std::memcpy(local.data(), bound.data(), std::min(bound.size(), local.capacity()));
  core.port = local.port();
  if (place.host.empty()) {  // IPv6 as well, where the machine has it
    const tcp::endpoint v6(tcp::v6(), core.port);
    static_cast<void>(listen_on(core, {v6.data(), v6.size()}));
  }
  return absl::OkStatus();
}

Task<void> turn_away(PlainSocket socket, std::shared_ptr<ServerCore> core) {
  const Reply reply =
      refusal(503, "too_many_connections", "the server has as many connections as it may: try again");
  std::string bytes =
      reply_head(reply, core->date(), core->new_request_id(), false, true, false) + reply.body;
  auto [unheard, size] = co_await asio::async_write(socket, asio::buffer(bytes), kAsTuple);
  static_cast<void>(unheard);
  boost::system::error_code ignored;
  socket.shutdown(asio::socket_base::shutdown_both, ignored);
}

Task<void> accept_loop(std::shared_ptr<HttpListener> core, Acceptor* acceptor) {
  while (!core->stopping) {
    auto [error, socket] = co_await acceptor->async_accept(kAsTuple);
    if (core->stopping) break;
    if (error) {  // for example: no file descriptor left
      core->log.warn("accept failed", {{"what", error.message()}});
      asio::steady_timer pause(core->io, std::chrono::milliseconds(50));
      auto [ignored] = co_await pause.async_wait(kAsTuple);
      static_cast<void>(ignored);
      continue;
    }
    Peer peer = peer_of(socket);
    boost::system::error_code ignored;
    if (!peer.local) socket.set_option(tcp::no_delay(true), ignored);
    if (core->connections.size() >= static_cast<std::size_t>(core->options.max_connections)) {
      core->spawn(turn_away(std::move(socket), core));
    } else if (core->tls) {
      core->spawn(serve_tls(core, core->tls, std::move(socket), std::move(peer)));
    } else {
      core->spawn(serve_plain(core, std::move(socket), std::move(peer)));
    }
  }
}

HttpListener& listener(const std::shared_ptr<ServerCore>& core) { return static_cast<HttpListener&>(*core); }

}  // namespace

HttpServer::HttpServer(asio::any_io_executor io, HttpOptions options, Handler handler, Log& log)
    : core_(std::make_shared<HttpListener>(std::move(io), std::move(options), std::move(handler), log)) {}
HttpServer::~HttpServer() = default;

absl::Status HttpServer::start() {
  HttpListener& core = listener(core_);
  if (!core.options.tls_cert.empty()) {
    WB_ASSIGN(core.tls, make_tls(core.options));
  }
  const std::string& address = core.options.address;
  if (address.starts_with(kUnix)) {
    WB_TRY(listen_unix(core, address.substr(kUnix.size())));
  } else {
    WB_ASSIGN(const Place place, parse_place(address));
    WB_TRY(listen_tcp(core, place));
  }
  for (const auto& acceptor : core.acceptors) {
    core.spawn(accept_loop(std::static_pointer_cast<HttpListener>(core_), acceptor.get()));
  }
  return absl::OkStatus();
}

void HttpServer::set_limits(const HttpOptions& options) {
  HttpOptions next = options;
  next.address = core_->options.address;
  next.tls_cert = core_->options.tls_cert;
  next.tls_key = core_->options.tls_key;
  next.tls_client_ca = core_->options.tls_client_ca;
  core_->options = std::move(next);
}

std::uint16_t HttpServer::port() const { return listener(core_).port; }
int HttpServer::connections() const { return static_cast<int>(core_->connections.size()); }
int HttpServer::in_flight() const { return core_->in_flight; }

Task<void> HttpServer::stop() {
  const auto core = std::static_pointer_cast<HttpListener>(core_);
  if (!std::exchange(core->stopping, true)) {
    boost::system::error_code ignored;
    for (const auto& acceptor : core->acceptors) acceptor->close(ignored);
    if (!core->socket_path.empty()) ::unlink(core->socket_path.c_str());
    const std::vector<ConnectionBase*> open(core->connections.begin(), core->connections.end());
    for (ConnectionBase* connection : open) connection->begin_drain();
  }
  const SteadyTime end = core->after(core->options.drain_timeout);
  while (!core->connections.empty()) {
    const bool late = std::chrono::steady_clock::now() >= end;
    if (late) {
      const std::vector<ConnectionBase*> open(core->connections.begin(), core->connections.end());
      for (ConnectionBase* connection : open) connection->close_now();
    }
    core->all_closed.expires_at(late ? std::chrono::steady_clock::now() + std::chrono::seconds(1) : end);
    auto [ignored] = co_await core->all_closed.async_wait(kAsTuple);
    static_cast<void>(ignored);
    if (late) break;
  }
}

}  // namespace waybill::rest
