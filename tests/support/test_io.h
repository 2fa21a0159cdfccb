#pragma once

#include <absl/time/time.h>
#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "waybill/base/task.h"
#include "waybill/ports/clock.h"

namespace waybill::testing {

// An io_context that the test's own thread runs, as the server's io thread would.
class TestIo {
 public:
  boost::asio::io_context& context() { return io_; }
  boost::asio::any_io_executor executor() { return io_.get_executor(); }

  // Runs until the task ends and returns what it answers; fails the test loudly (throws) after a minute.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> answer;
    std::exception_ptr problem;
    boost::asio::co_spawn(io_, std::move(task), [&](std::exception_ptr error, T value) {
      problem = error;
      answer.emplace(std::move(value));
    });
    wait_until([&] { return problem || answer; });
    if (problem) std::rethrow_exception(problem);
    return *std::move(answer);
  }
  void run(Task<void> task) {
    bool done = false;
    std::exception_ptr problem;
    boost::asio::co_spawn(io_, std::move(task), [&](std::exception_ptr error) {
      problem = error;
      done = true;
    });
    wait_until([&] { return done; });
    if (problem) std::rethrow_exception(problem);
  }
  // Runs what there is to run until `done`, at most a minute.
  void wait_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    auto guard = boost::asio::make_work_guard(io_);
    io_.restart();
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("waited for a minute in vain");
      io_.run_one_for(std::chrono::milliseconds(20));
    }
  }
  // Runs everything that is ready now.
  void drain() {
    io_.restart();
    io_.poll();
  }

 private:
  boost::asio::io_context io_{1};
};

// Stands still until advance(). now() from any thread, the rest on the test's thread.
class FakeClock : public ports::Clock {
 public:
  explicit FakeClock(boost::asio::io_context& io, absl::Time start = absl::FromUnixSeconds(1'780'000'000))
      : io_(io), now_(start) {}

  [[nodiscard]] absl::Time now() const override {
    const std::scoped_lock lock(mutex_);
    return now_;
  }
  Task<void> sleep(absl::Duration duration) override {
    if (duration <= absl::ZeroDuration()) co_return;
    auto timer =
        std::make_shared<boost::asio::steady_timer>(io_, std::chrono::steady_clock::time_point::max());
    sleepers_.push_back({now() + duration, timer});
    auto result = co_await timer->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    static_cast<void>(result);
  }
  // Moves time and wakes whoever slept until then; run the io to let them go on.
  void advance(absl::Duration duration) {
    {
      const std::scoped_lock lock(mutex_);
      now_ += duration;
    }
    sleepers_.remove_if([&](Sleeper& sleeper) {
      if (sleeper.due > now()) return false;
      sleeper.timer->cancel();
      return true;
    });
  }
  [[nodiscard]] std::size_t sleepers() const { return sleepers_.size(); }

 private:
  struct Sleeper {
    absl::Time due;
    std::shared_ptr<boost::asio::steady_timer> timer;
  };
  boost::asio::io_context& io_;
  mutable std::mutex mutex_;
  absl::Time now_;
  std::list<Sleeper> sleepers_;
};

}  // namespace waybill::testing
