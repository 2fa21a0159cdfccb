#pragma once

// What all connections of one server share. Internal to http/.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "waybill/api/rest/http/http_server.h"
#include "waybill/base/ids.h"

namespace waybill::rest {

using SteadyTime = std::chrono::steady_clock::time_point;

// A connection as the server's clock and its stop see it.
class ConnectionBase {
 public:
  virtual ~ConnectionBase() = default;
  virtual void close_now() = 0;    // every operation in progress ends with an error
  virtual void begin_drain() = 0;  // closes if idle, wakes a stream
  SteadyTime deadline = SteadyTime::max();
};

struct ServerCore : std::enable_shared_from_this<ServerCore> {
  ServerCore(boost::asio::any_io_executor executor, HttpOptions http_options, Handler request_handler,
             Log& server_log);

  boost::asio::any_io_executor io;
  HttpOptions options;
  Handler handler;
  Log& log;
  std::unordered_set<ConnectionBase*> connections;
  int in_flight = 0;
  bool stopping = false;

  // Adds the connection and starts the clock if it stands.
  void enter(ConnectionBase& connection);
  void leave(ConnectionBase& connection);
  // Runs a coroutine whose end nobody awaits; an exception is logged.
  void spawn(Task<void> task);

  [[nodiscard]] std::string_view date();  // "Sun, 06 Nov 1994 08:49:37 GMT", made once a second
  [[nodiscard]] std::string new_request_id();
  [[nodiscard]] SteadyTime after(absl::Duration timeout) const;

  boost::asio::steady_timer all_closed;  // cancelled when the last connection has ended

 private:
  // One timer for all connections: a timer per request costs a fifth of the throughput.
  Task<void> clock(std::shared_ptr<ServerCore> self);
  [[nodiscard]] std::chrono::milliseconds tick() const;

  boost::asio::steady_timer timer_;
  bool clock_runs_ = false;
  std::int64_t date_second_ = -1;
  std::string date_;
  IdGenerator request_ids_;
};

// "" where the text can't be a request id: 1 to 128 of [A-Za-z0-9._:-].
[[nodiscard]] std::string sane_request_id(std::string_view text);

// The bytes of a reply up to its body. A header with a control character in it is left out.
[[nodiscard]] std::string reply_head(const Reply& reply, std::string_view date, std::string_view request_id,
                                     bool chunked, bool close, bool http_1_0);

// The reply to what is no request: JSON, Connection: close.
[[nodiscard]] Reply refusal(unsigned status, std::string_view word, std::string_view sentence);

}  // namespace waybill::rest
