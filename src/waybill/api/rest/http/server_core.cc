#include "waybill/api/rest/http/server_core.h"

#include <absl/time/clock.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <utility>
#include <vector>

#include "waybill/base/go_json.h"

namespace waybill::rest {
namespace {

namespace asio = boost::asio;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

void append_header(std::string_view name, std::string_view value, std::string& out) {
  if (has_control(name) || has_control(value)) return;
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

}  // namespace

ServerCore::ServerCore(asio::any_io_executor executor, HttpOptions http_options, Handler request_handler,
                       Log& server_log)
    : io(std::move(executor)),
      options(std::move(http_options)),
      handler(std::move(request_handler)),
      log(server_log),
      all_closed(io, SteadyTime::max()),
      timer_(io) {}

void ServerCore::spawn(Task<void> task) {
  asio::co_spawn(io, std::move(task), [self = shared_from_this()](const std::exception_ptr& problem) {
    if (!problem) return;
    try {
      std::rethrow_exception(problem);
    } catch (const std::exception& e) {
      self->log.error("a connection ended by an exception", {{"what", e.what()}});
    }
  });
}

void ServerCore::enter(ConnectionBase& connection) {
  connections.insert(&connection);
  if (!std::exchange(clock_runs_, true)) spawn(clock(shared_from_this()));
}

void ServerCore::leave(ConnectionBase& connection) {
  connections.erase(&connection);
  if (connections.empty()) {
    all_closed.cancel();
    timer_.cancel();
  }
}

std::chrono::milliseconds ServerCore::tick() const {
  const absl::Duration shortest = std::min(
      {options.read_header_timeout, options.read_timeout, options.write_timeout, options.idle_timeout});
  return std::chrono::milliseconds(
      std::clamp<std::int64_t>(absl::ToInt64Milliseconds(shortest) / 4, 10, 1000));
}

Task<void> ServerCore::clock(std::shared_ptr<ServerCore> self) {
  while (!self->connections.empty()) {
    self->timer_.expires_after(self->tick());
    auto [ignored] = co_await self->timer_.async_wait(kAsTuple);
    static_cast<void>(ignored);
    const SteadyTime now = std::chrono::steady_clock::now();
    std::vector<ConnectionBase*> late;
    for (ConnectionBase* connection : self->connections) {
      if (connection->deadline <= now) late.push_back(connection);
    }
    for (ConnectionBase* connection : late) {
      connection->deadline = SteadyTime::max();
      connection->close_now();
    }
  }
  self->clock_runs_ = false;
}

SteadyTime ServerCore::after(absl::Duration timeout) const {
  if (timeout <= absl::ZeroDuration()) return SteadyTime::max();
  return std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(timeout);
}

std::string_view ServerCore::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    date_ =
        fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday], parts.tm_mday,
                    kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  }
  return date_;
}

std::string ServerCore::new_request_id() { return request_ids_.next(absl::Now()); }

std::string sane_request_id(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == ':' || c == '-';
  };
  if (text.empty() || text.size() > 128 || !std::all_of(text.begin(), text.end(), allowed)) return {};
  return std::string(text);
}

std::string reply_head(const Reply& reply, std::string_view date, std::string_view request_id, bool chunked,
                       bool close, bool http_1_0) {
  std::string out;
  out.reserve(256);
  const std::string_view reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(reply.status));
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", reply.status, reason);
  append_header("Date", date, out);
  if (!reply.content_type.empty()) append_header("Content-Type", reply.content_type, out);
  for (const auto& [name, value] : reply.headers.lines()) append_header(name, value, out);
  append_header("X-Request-Id", request_id, out);
  append_header("X-Content-Type-Options", "nosniff", out);
  if (chunked) {
    append_header("Transfer-Encoding", "chunked", out);
  } else if (!reply.stream && reply.status != 204 && reply.status != 304) {
    append_header("Content-Length", fmt::format_int(reply.content().size()).c_str(), out);
  }
  if (close) {
    append_header("Connection", "close", out);
  } else if (http_1_0) {
    append_header("Connection", "keep-alive", out);
  }
  out += "\r\n";
  return out;
}

Reply refusal(unsigned status, std::string_view word, std::string_view sentence) {
  Reply reply;
  reply.status = status;
  reply.body = "{\"error\":";
  append_json_string(sentence, reply.body);
  reply.body += ",\"code\":";
  append_json_string(word, reply.body);
  reply.body += '}';
  if (status == 503 || status == 429) reply.headers.add("Retry-After", "1");
  return reply;
}

}  // namespace waybill::rest
