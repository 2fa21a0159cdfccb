#include "waybill/history/retention.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>

#include "waybill/base/status.h"
#include "waybill/ports/wakeup.h"

namespace waybill::history {
namespace {

constexpr absl::Duration kEvery = absl::Minutes(1);
// A manifest that was let go of may be pointed to again by a batch that is on its way.
constexpr absl::Duration kLoose = absl::Hours(1);
constexpr std::size_t kBatch = 500;

}  // namespace

struct Retention::State {
  State(boost::asio::any_io_executor given, ports::RecordStore& store, ports::Clock& time, Log& to,
        absl::Duration kept)
      : io(given), records(store), clock(time), log(to), keep(kept), wake(given), ended(given) {}

  static Task<void> run(std::shared_ptr<State> self) {
    while (!self->stopping) {
      co_await self->wake.wait(self->clock, kEvery);
      if (!self->stopping) co_await self->clean();
    }
    self->has_ended = true;
    self->ended.notify();
  }

  Task<void> clean() {
    const absl::Time before = clock.now() - keep;
    std::size_t removed = kBatch;
    while (removed == kBatch && !stopping) {
      const auto some = co_await records.expire(before, kBatch);
      if (!some.ok()) {
        log.warn("old records can't be removed", {{"error", message(some.status())}});
        co_return;
      }
      removed = *some;
    }
    const absl::Status cleaned = co_await records.clean(clock.now() - kLoose, before, kBatch);
    if (!cleaned.ok()) log.warn("old manifests can't be removed", {{"error", message(cleaned)}});
  }

  boost::asio::any_io_executor io;
  ports::RecordStore& records;
  ports::Clock& clock;
  Log& log;
  absl::Duration keep;
  ports::Wakeup wake;
  ports::Wakeup ended;
  bool started = false;
  bool stopping = false;
  bool has_ended = false;
};

Retention::Retention(boost::asio::any_io_executor io, ports::RecordStore& records, ports::Clock& clock,
                     Log& log, absl::Duration keep)
    : state_(std::make_shared<State>(io, records, clock, log, keep)) {}

Retention::~Retention() {
  state_->stopping = true;
  state_->wake.notify();
}

void Retention::start() {
  state_->started = true;
  boost::asio::co_spawn(state_->io, State::run(state_), [state = state_](const std::exception_ptr& problem) {
    if (problem) state->log.error("the retention of records ended");
  });
}

Task<void> Retention::clean() {
  const std::shared_ptr<State> state = state_;
  co_await state->clean();
}

Task<void> Retention::stop() {
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  state->wake.notify();
  while (state->started && !state->has_ended) co_await state->ended.wait();
}

}  // namespace waybill::history
