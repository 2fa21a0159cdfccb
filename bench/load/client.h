#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "bench/load/figures.h"

namespace waybill::bench {

struct Load {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9090;
  std::string method = "GET";
  std::string path = "/healthz";
  std::string user = "bench";
  // Each `{n}` in it becomes another number, so that no two requests say the same.
  std::string body;
  int connections = 1;
  std::chrono::milliseconds duration{5000};
  std::uint64_t requests = 0;  // ends after so many answers, if that is earlier; 0: by time alone
  std::string follow;  // the path of a stream of events: a request is done when its job is (see client.cc)
};

// Runs the load on the calling thread: one request at a time on each connection, the next as soon as it is
// answered.
[[nodiscard]] Figures run(boost::asio::io_context& io, const Load& load, std::chrono::nanoseconds& wall);

}  // namespace waybill::bench
