#include "waybill/ports/wakeup.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>

namespace waybill::ports {
namespace asio = boost::asio;

struct Wakeup::Bell {
  explicit Bell(const asio::any_io_executor& io) : timer(io, asio::steady_timer::time_point::max()) {}
  asio::steady_timer timer;
  bool rung = false;

  void ring() {
    rung = true;
    timer.cancel();
  }
};

namespace {

Task<void> sleep_for(Clock& clock, absl::Duration duration) {  // NOLINT(*-reference-*): outlives us
  co_await clock.sleep(duration);
}

}  // namespace

Wakeup::Wakeup(const asio::any_io_executor& io) : io_(io), bell_(std::make_shared<Bell>(io)) {}

void Wakeup::notify() { bell_->ring(); }

Task<void> Wakeup::wait() {
  const std::shared_ptr<Bell> bell = bell_;
  while (!bell->rung) {
    auto ended = co_await bell->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    static_cast<void>(ended);
  }
  bell->rung = false;
}

Task<void> Wakeup::wait(Clock& clock, absl::Duration at_most) {  // NOLINT(*-reference-*): outlives us
  const std::shared_ptr<Bell> bell = bell_;
  bool over = at_most <= absl::ZeroDuration();
  if (!bell->rung && !over) {
    auto stop = std::make_shared<asio::cancellation_signal>();
    auto alarm = std::make_shared<bool>(false);
    auto ring = [bell, stop, alarm](std::exception_ptr) {
      if (*alarm) return;
      *alarm = true;
      bell->timer.cancel();
    };
    asio::co_spawn(io_, sleep_for(clock, at_most), asio::bind_cancellation_slot(stop->slot(), ring));
    while (!bell->rung && !*alarm) {
      auto ended = co_await bell->timer.async_wait(asio::as_tuple(asio::use_awaitable));
      static_cast<void>(ended);
    }
    if (!*alarm) {
      *alarm = true;
      stop->emit(asio::cancellation_type::terminal);
    }
  }
  bell->rung = false;
}

}  // namespace waybill::ports
