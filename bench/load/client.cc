#include "bench/load/client.h"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace waybill::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
template <class T>
using Task = asio::awaitable<T>;
constexpr auto kResult = asio::as_tuple(asio::use_awaitable);

// What all connections of one run share; all on one thread.
struct Run {
  const Load& load;
  tcp::endpoint server;
  Clock::time_point deadline;
  Figures figures{};
  std::uint64_t asked = 0;
  std::uint64_t numbers = 0;
  int connections_left = 0;
  // --follow: when each job that is not answered for yet was seen to end, or the connection that waits for
  // it.
  std::unordered_map<std::string, Clock::time_point> ended{};
  std::unordered_map<std::string, std::shared_ptr<asio::steady_timer>> waiting{};
  std::shared_ptr<tcp::socket> events{};

  [[nodiscard]] bool goes_on() {
    if (Clock::now() >= deadline) return false;
    return load.requests == 0 || asked++ < load.requests;
  }
};

// The text of the next request: everything but the body's numbers is always the same.
std::string next_body(Run& run) {
  std::string text;
  std::string_view rest = run.load.body;
  for (auto at = rest.find("{n}"); at != std::string_view::npos; at = rest.find("{n}")) {
    text.append(rest.substr(0, at)).append(std::to_string(run.numbers++));
    rest.remove_prefix(at + 3);
  }
  return text.append(rest);
}

std::string next_request(Run& run, const std::string& head) {
  const std::string body = next_body(run);
  return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string head_of(const Load& load, std::string_view method, const std::string& path) {
  std::string head{method};
  head += " " + path + " HTTP/1.1\r\nHost: " + load.host + "\r\nX-Heimdall-User: " + load.user + "\r\n";
  if (!load.body.empty()) head += "Content-Type: application/json\r\n";
  return head;
}

// The id of the first object in a JSON text of the server: `"id":"…"`.
std::string id_in(std::string_view text, std::string_view member) {
  const std::string key = "\"" + std::string(member) + "\":\"";
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return std::string(text.substr(0, text.find('"')));
}

bool tells_an_end(std::string_view event) {
  for (const std::string_view word : {"SUCCEEDED", "FAILED", "KILLED", "CANCELED"})
    if (id_in(event, "to") == word) return true;
  return false;
}

void note_event(Run& run, std::string_view event) {
  if (!tells_an_end(event)) return;
  const std::string job = id_in(event, "id");
  if (job.empty()) return;
  run.ended[job] = Clock::now();
  if (const auto waiter = run.waiting.find(job); waiter != run.waiting.end()) waiter->second->cancel();
}

// Reads the stream of events until its socket is closed.
Task<void> follow_events(std::shared_ptr<Run> run) {
  boost::beast::flat_buffer buffer;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  const auto [head_error, head_size] =
      co_await http::async_read_header(*run->events, buffer, parser, kResult);
  if (head_error || parser.get().result_int() != 200) {
    run->figures.add_failure("the stream of events did not open");
    run->deadline = Clock::now();
    co_return;
  }
  std::array<char, 65536> space{};
  std::string pending;
  while (!parser.is_done()) {
    parser.get().body().data = space.data();
    parser.get().body().size = space.size();
    const auto [error, size] = co_await http::async_read_some(*run->events, buffer, parser, kResult);
    if (error && error != http::error::need_buffer) co_return;
    pending.append(space.data(), space.size() - parser.get().body().size);
    for (auto end = pending.find("\n\n"); end != std::string::npos; end = pending.find("\n\n")) {
      note_event(*run, std::string_view(pending).substr(0, end));
      pending.erase(0, end + 2);
    }
  }
}

// When the job was seen to end; now, if that did not come to be known within the run's time and a minute.
Task<Clock::time_point> end_of(std::shared_ptr<Run> run, std::string job) {
  if (!run->ended.contains(job)) {
    auto timer = std::make_shared<asio::steady_timer>(run->events->get_executor(), std::chrono::minutes(1));
    run->waiting[job] = timer;
    const auto [error] = co_await timer->async_wait(kResult);
    run->waiting.erase(job);
    if (!error) run->figures.add_failure("job " + job + " was not seen to end within a minute");
  }
  const auto seen = run->ended.find(job);
  co_return seen == run->ended.end() ? Clock::now() : seen->second;
}

Task<void> one_connection(std::shared_ptr<Run> run) {
  const auto executor = co_await asio::this_coro::executor;
  const std::string head = head_of(run->load, run->load.method, run->load.path);
  tcp::socket socket(executor);
  const auto [refused] = co_await socket.async_connect(run->server, kResult);
  if (refused) run->figures.add_failure(refused.message());
  if (refused) co_return;
  socket.set_option(tcp::no_delay(true));
  boost::beast::flat_buffer buffer;
  while (run->goes_on()) {
    const std::string request = next_request(*run, head);
    const auto begin = Clock::now();
    const auto [write_error, written] = co_await asio::async_write(socket, asio::buffer(request), kResult);
    http::response<http::string_body> answer;
    const auto [read_error, received] = co_await http::async_read(socket, buffer, answer, kResult);
    if (write_error || read_error) {
      run->figures.add_failure((write_error ? write_error : read_error).message());
      co_return;
    }
    auto end = Clock::now();
    if (run->events && answer.result_int() == 200) {
      end = co_await end_of(run, id_in(answer.body(), "id"));
    }
    run->figures.add(end - begin, static_cast<int>(answer.result_int()));
  }
}

void on_end(const std::shared_ptr<Run>& run, const std::exception_ptr& error) {
  if (error) run->figures.add_failure("a connection ended with an exception");
  boost::system::error_code ignored;
  if (--run->connections_left == 0 && run->events) run->events->close(ignored);
}

// Opened before the first request, so that no event is missed.
void open_events(asio::io_context& io, const std::shared_ptr<Run>& run) {
  run->events = std::make_shared<tcp::socket>(io);
  run->events->connect(run->server);
  asio::write(*run->events, asio::buffer(head_of(run->load, "GET", run->load.follow) + "\r\n"));
  asio::co_spawn(io, follow_events(run), [run](const std::exception_ptr& error) {
    if (error) run->figures.add_failure("the stream of events ended with an exception");
  });
}

}  // namespace

Figures run(asio::io_context& io, const Load& load, std::chrono::nanoseconds& wall) {
  const auto begin = Clock::now();
  auto state = std::make_shared<Run>(Run{.load = load,
                                         .server = {asio::ip::make_address(load.host), load.port},
                                         .deadline = begin + load.duration,
                                         .connections_left = load.connections});
  if (!load.follow.empty()) open_events(io, state);
  for (int n = 0; n < load.connections; ++n)
    asio::co_spawn(io, one_connection(state),
                   [state](const std::exception_ptr& error) { on_end(state, error); });
  io.run();
  wall = Clock::now() - begin;
  return std::move(state->figures);
}

}  // namespace waybill::bench
