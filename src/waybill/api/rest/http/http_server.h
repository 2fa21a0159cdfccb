#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "waybill/api/rest/http/message.h"
#include "waybill/base/log.h"
#include "waybill/base/task.h"

namespace waybill::rest {

struct HttpOptions {
  std::string address =
      "127.0.0.1:0";     // "host:port", ":port", "[v6]:port", "unix:/path"; port 0: any free one
  std::string tls_cert;  // PEM file; "" : no TLS
  std::string tls_key;
  std::string tls_client_ca;  // PEM file: clients must show a certificate of this authority
  std::size_t max_body_bytes = 1U << 20U;
  std::size_t max_header_bytes = 16384;
  int max_connections = 10'000;
  int max_in_flight = 1000;                                // requests being answered; streams don't count
  absl::Duration read_header_timeout = absl::Seconds(30);  // from the first byte to the end of the headers
  absl::Duration read_timeout = absl::Seconds(30);         // from the first byte to the end of the body
  absl::Duration write_timeout = absl::Seconds(60);        // for one write to a client that does not read
  absl::Duration idle_timeout = absl::Seconds(60);         // between two requests
  absl::Duration drain_timeout = absl::Seconds(10);        // for requests in progress at stop()
};

// HTTP/1.0 and 1.1 over TCP, TLS or a unix socket: keep-alive, pipelining, HEAD, chunked streams. One
// io_context, run by one thread, owns it: hence no strand and no lock; every call on that thread.
class HttpServer {
 public:
  HttpServer(boost::asio::any_io_executor io, HttpOptions options, Handler handler, Log& log);
  ~HttpServer();  // does not wait for what runs: stop() first
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds and accepts. An error names the address and what the system said.
  absl::Status start();
  // Sizes, numbers and timeouts of a new config, for what a connection waits for next. Address and TLS stay.
  void set_limits(const HttpOptions& options);
  // After start(); 0 for a unix socket.
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] int connections() const;
  [[nodiscard]] int in_flight() const;

  // Accepts no more, closes idle connections, ends streams, lets requests in progress end (their replies say
  // "Connection: close") and cuts what is left after drain_timeout. Comes back when all are closed.
  Task<void> stop();

 private:
  std::shared_ptr<struct ServerCore> core_;
};

}  // namespace waybill::rest
