#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "waybill/base/task.h"
#include "waybill/ports/clock.h"

namespace waybill::ports {

// Lets a loop sleep until it is told or a time has passed, whichever comes first. One waiter at a time; a
// notify() with nobody waiting is kept for the next wait. io thread only.
class Wakeup {
 public:
  explicit Wakeup(const boost::asio::any_io_executor& io);
  void notify();
  // The clock must outlive the wait.
  Task<void> wait(Clock& clock, absl::Duration at_most);
  Task<void> wait();

 private:
  struct Bell;
  boost::asio::any_io_executor io_;
  std::shared_ptr<Bell> bell_;
};

// A value that comes once and that several may wait for. io thread only; held by shared_ptr.
template <class T>
class Once {
 public:
  explicit Once(const boost::asio::any_io_executor& io)
      : timer_(io, boost::asio::steady_timer::time_point::max()) {}
  void set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    timer_.cancel();
  }
  // `self` keeps it alive while the caller waits.
  static Task<T> get(std::shared_ptr<Once> self) {
    while (!self->value_) {
      auto ended = co_await self->timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
      static_cast<void>(ended);
    }
    co_return *self->value_;
  }

 private:
  boost::asio::steady_timer timer_;
  std::optional<T> value_;
};

}  // namespace waybill::ports
