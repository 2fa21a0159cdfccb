#include "waybill/app/system_clock.h"

#include <absl/time/clock.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill::app {
namespace asio = boost::asio;

absl::Time SystemClock::now() const { return absl::Now(); }

Task<void> SystemClock::sleep(absl::Duration duration) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, absl::ToChronoNanoseconds(duration));
  const auto ended = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  static_cast<void>(ended);  // a cancelled sleep is just shorter
}

}  // namespace waybill::app
