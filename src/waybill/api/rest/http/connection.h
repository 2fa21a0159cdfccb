#pragma once

// The life of one connection, over any stream. Internal to http/: instantiated in plain.cc and tls.cc only.

#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "waybill/api/rest/http/request_reading.h"
#include "waybill/api/rest/http/server_core.h"

namespace waybill::rest {

struct Peer {
  std::string address;
  bool local = false;
  std::string tls_user;
};

template <class Stream>
class Connection : public ConnectionBase, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  using Self = std::shared_ptr<Connection>;
  static constexpr std::size_t kKeptBuffer = 16384;  // of an idle connection
  static constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

  Connection(std::shared_ptr<ServerCore> core, Stream stream, Peer peer)
      : core_(std::move(core)), stream_(std::move(stream)), peer_(std::move(peer)), wake_(core_->io) {
    core_->enter(*this);
  }
  ~Connection() override { core_->leave(*this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Stream& stream() { return stream_; }
  Peer& peer() { return peer_; }

  void close_now() override {
    closed_ = true;
    boost::system::error_code ignored;
    socket().close(ignored);
    wake_.cancel();
  }

  void begin_drain() override {
    if (idle_) close_now();
    if (streaming_) wake();
  }

  // Requests one after the other until one side has had enough.
  static Task<void> serve(Self self) {
    bool keep = true;
    while (keep && !self->closed_ && !self->core_->stopping) {
      ReadOutcome outcome = co_await self->read_request();
      if (outcome.gone) co_return;
      if (outcome.refused) {
        co_await self->refuse(*std::move(outcome.refused), std::move(outcome.request_id));
        break;
      }
      keep = co_await self->answer(std::move(outcome.request), outcome.keep_alive, outcome.http_1_0);
    }
    co_await self->linger();
  }

 private:
  // The sink of a streaming reply; outlives the connection's use of it.
  class Sink : public StreamSink {
   public:
    Sink(Self connection, bool chunked) : connection_(std::move(connection)), chunked_(chunked) {}
    Task<bool> write(std::string bytes) override {
      if (bytes.empty()) co_return open();
      if (!open()) co_return false;
      std::string head = chunked_ ? fmt::format("{:x}\r\n", bytes.size()) : std::string();
      const std::string_view tail = chunked_ ? "\r\n" : "";
      const bool sent = co_await connection_->send(std::move(head), std::move(bytes), tail);
      co_return sent;
    }
    Task<bool> wait(absl::Duration duration) override {
      const Self connection = connection_;
      if (!open()) co_return false;
      if (!std::exchange(connection->woken_, false)) {
        connection->wake_.expires_after(absl::ToChronoMilliseconds(duration));
        auto [ignored] = co_await connection->wake_.async_wait(kAsTuple);
        static_cast<void>(ignored);
        connection->woken_ = false;
      }
      co_return open();
    }
    void wake() override {
      if (connection_) connection_->wake();
    }
    [[nodiscard]] bool open() const override {
      return connection_ && !connection_->closed_ && !connection_->core_->stopping;
    }
    void fail() override { failed_ = true; }
    [[nodiscard]] bool failed() const { return failed_; }
    // The connection goes on without the stream: whoever still holds the sink finds it shut.
    void release() { connection_.reset(); }

   private:
    Self connection_;
    bool chunked_;
    bool failed_ = false;
  };

  // The socket under whatever the stream is.
  auto& socket() {
    if constexpr (requires(Stream& stream) { stream.next_layer(); }) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void wake() {
    woken_ = true;
    wake_.cancel();
  }

  // Member coroutines below are awaited at once by serve(), which owns the connection.
  Task<ReadOutcome> read_request() {
    RequestReader reader(core_->options.max_header_bytes, core_->options.max_body_bytes);
    idle_ = buffer_.size() == 0;
    if (idle_ && buffer_.capacity() > kKeptBuffer) buffer_.shrink_to_fit();
    this->deadline = core_->after(core_->options.idle_timeout);
    bool timing_headers = false;
    while (true) {
      reader.take(buffer_);
      if (reader.problem()) co_return reader.refused();
      if (reader.started() && !timing_headers) {
        timing_headers = true;
        this->deadline = core_->after(core_->options.read_header_timeout);
        read_deadline_ = core_->after(core_->options.read_timeout);
      }
      if (reader.headers_just_ended()) {
        this->deadline = read_deadline_;
        if (reader.wants_continue()) {
          const bool told = co_await send("HTTP/1.1 100 Continue\r\n\r\n", {}, {});
          if (!told) co_return ReadOutcome::lost();
          this->deadline = read_deadline_;
        }
      }
      if (reader.done()) break;
      auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(reader.read_size()), kAsTuple);
      if (error || closed_) co_return ReadOutcome::lost();
      idle_ = false;
      buffer_.commit(size);
    }
    idle_ = false;
    this->deadline = SteadyTime::max();
    ReadOutcome outcome = reader.finish();
    if (outcome.request) {
      outcome.request->peer = peer_.address;
      outcome.request->peer_local = peer_.local;
      outcome.request->tls_user = peer_.tls_user;
    }
    co_return outcome;
  }

  Task<bool> answer(std::shared_ptr<Request> request, bool keep_alive, bool http_1_0) {
    if (request->id.empty()) request->id = core_->new_request_id();
    const bool head_only = request->method == Method::kHead;
    const std::string request_id = request->id;
    Reply reply;
    const bool counted = core_->in_flight < core_->options.max_in_flight || is_vital(*request);
    if (counted) {
      ++core_->in_flight;
      std::exception_ptr problem;
      try {
        reply = co_await core_->handler(std::move(request));
      } catch (...) {
        problem = std::current_exception();
      }
      --core_->in_flight;
      if (problem) reply = broken(problem);
    } else {
      reply = refusal(503, "overloaded",
                      "the server is answering as many requests as it may: try again in a moment");
    }
    const bool keep = keep_alive && !core_->stopping && !(reply.stream && http_1_0);
    const bool chunked = reply.stream && !http_1_0;
    std::string head = reply_head(reply, core_->date(), request_id, chunked, !keep, http_1_0);
    if (reply.stream && !head_only) {
      const bool started = co_await send(std::move(head), {}, {});
      if (!started) co_return false;
      const bool whole = co_await run_stream(std::move(reply.stream), chunked);
      co_return whole&& keep;
    }
    if (head_only) reply.body.clear();
    const std::string_view fixed = head_only ? std::string_view() : reply.fixed_body;
    const bool sent = co_await send(std::move(head), std::move(reply.body), fixed);
    co_return sent&& keep;
  }

  Task<bool> run_stream(rest::Stream body, bool chunked) {
    const auto sink = std::make_shared<Sink>(this->shared_from_this(), chunked);
    streaming_ = true;
    core_->spawn(watch(this->shared_from_this()));
    std::exception_ptr problem;
    try {
      co_await body(sink);
    } catch (...) {
      problem = std::current_exception();
    }
    streaming_ = false;
    const bool failed = sink->failed() || problem;
    sink->release();
    if (problem) static_cast<void>(broken(problem));
    if (closed_) co_return false;
    boost::system::error_code ignored;
    socket().cancel(ignored);  // the watch
    if (failed) {
      close_now();
      co_return false;
    }
    if (!chunked) co_return true;
    const bool sent = co_await send("0\r\n\r\n", {}, {});
    co_return sent;
  }

  // Notices that the client of a stream has gone while there is nothing to write.
  static Task<void> watch(Self self) {
    auto [error] = co_await self->socket().async_wait(boost::asio::socket_base::wait_read, kAsTuple);
    if (error || self->closed_ || !self->streaming_) co_return;
    char byte = 0;
    const auto size = ::recv(self->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size == 0) self->close_now();
  }

  Task<bool> send(std::string first, std::string second, std::string_view third) {
    const std::array<boost::asio::const_buffer, 3> parts = {boost::asio::buffer(first),
                                                            boost::asio::buffer(second),
                                                            boost::asio::buffer(third.data(), third.size())};
    this->deadline = core_->after(core_->options.write_timeout);
    auto [error, size] = co_await boost::asio::async_write(stream_, parts, kAsTuple);
    this->deadline = SteadyTime::max();
    if (error) close_now();
    co_return !error;
  }

  Task<void> refuse(Reply reply, std::string request_id) {
    if (request_id.empty()) request_id = core_->new_request_id();
    std::string head = reply_head(reply, core_->date(), request_id, false, true, false);
    const bool sent = co_await send(std::move(head), std::move(reply.body), {});
    static_cast<void>(sent);
  }

  // Ends our side and reads what still comes for a while: closing over unread bytes would reset the
  // connection and could take the answer away from the client.
  Task<void> linger() {
    if (closed_) co_return;
    boost::system::error_code ignored;
    socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
    this->deadline = core_->after(absl::Seconds(core_->stopping ? 1 : 5));
    constexpr std::size_t kMost = 64U << 20U;
    std::array<char, 16384> bin{};
    for (std::size_t total = 0; total < kMost && !closed_;) {
      auto [error, size] = co_await socket().async_read_some(boost::asio::buffer(bin), kAsTuple);
      if (error) break;
      total += size;
    }
    close_now();
  }

  Reply broken(const std::exception_ptr& problem) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::exception& e) {
      core_->log.error("a request ended by an exception", {{"what", e.what()}});
    } catch (...) {
      core_->log.error("a request ended by an unknown exception");
    }
    return refusal(500, "internal", "something went wrong in the server: its log says what");
  }

  std::shared_ptr<ServerCore> core_;
  Stream stream_;
  Peer peer_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer wake_;
  SteadyTime read_deadline_ = SteadyTime::max();
  bool idle_ = true;
  bool streaming_ = false;
  bool woken_ = false;
  bool closed_ = false;
};

using PlainSocket = boost::asio::generic::stream_protocol::socket;

// Serve a socket that was just accepted, to its end.
[[nodiscard]] Task<void> serve_plain(std::shared_ptr<ServerCore> core, PlainSocket socket, Peer peer);

class TlsContext;  // tls.cc
[[nodiscard]] absl::StatusOr<std::shared_ptr<TlsContext>> make_tls(const HttpOptions& options);
[[nodiscard]] Task<void> serve_tls(std::shared_ptr<ServerCore> core, std::shared_ptr<TlsContext> tls,
                                   PlainSocket socket, Peer peer);

}  // namespace waybill::rest
