#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/base/task.h"
#include "waybill/engine/wakeup.h"
#include "waybill/ports/clock.h"

// Ways to wait for calls of others. io thread only.
namespace waybill::engine {

// The answer of `call`, or DeadlineExceeded once it has taken `at_most`: then it is asked to stop but not
// waited for, so that an executor that hangs holds nobody. What it throws is an Internal error.
template <class Answer>  // absl::Status or absl::StatusOr<…>
Task<Answer> with_deadline(boost::asio::any_io_executor io, ports::Clock& clock,  // NOLINT(*-reference-*)
                           absl::Duration at_most, Task<Answer> call) {
  struct Shared {
    explicit Shared(const boost::asio::any_io_executor& on) : wake(on) {}
    Wakeup wake;
    boost::asio::cancellation_signal stop;
    std::optional<Answer> answer;
  };
  auto shared = std::make_shared<Shared>(io);
  auto keep = [shared](std::exception_ptr problem, Answer answer) {
    if (problem) answer = error(absl::StatusCode::kInternal, "internal", "the call ended with an exception");
    shared->answer.emplace(std::move(answer));
    shared->wake.notify();
  };
  boost::asio::co_spawn(io, std::move(call), boost::asio::bind_cancellation_slot(shared->stop.slot(), keep));
  if (!shared->answer) co_await shared->wake.wait(clock, at_most);
  if (shared->answer) co_return *std::move(shared->answer);
  shared->stop.emit(boost::asio::cancellation_type::terminal);
  co_return error(absl::StatusCode::kDeadlineExceeded, "deadline_exceeded", "the call took too long");
}

// Runs all at the same time; answers in order.
template <class T>
Task<std::vector<T>> gather(boost::asio::any_io_executor io, std::vector<Task<T>> tasks) {
  struct Shared {
    explicit Shared(const boost::asio::any_io_executor& on) : done(std::make_shared<Once<bool>>(on)) {}
    std::shared_ptr<Once<bool>> done;
    std::vector<std::optional<T>> answers;
    std::size_t left = 0;
    std::exception_ptr problem;
  };
  auto shared = std::make_shared<Shared>(io);
  shared->answers.resize(tasks.size());
  shared->left = tasks.size();
  if (tasks.empty()) shared->done->set(true);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    boost::asio::co_spawn(io, std::move(tasks[i]), [shared, i](std::exception_ptr problem, T answer) {
      if (problem) shared->problem = problem;
      shared->answers[i].emplace(std::move(answer));
      if (--shared->left == 0) shared->done->set(true);
    });
  }
  auto over = co_await Once<bool>::get(shared->done);
  static_cast<void>(over);
  if (shared->problem) std::rethrow_exception(shared->problem);
  std::vector<T> answers;
  answers.reserve(shared->answers.size());
  for (std::optional<T>& answer : shared->answers) answers.push_back(*std::move(answer));
  co_return answers;
}

}  // namespace waybill::engine
