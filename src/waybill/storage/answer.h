#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <utility>

#include "waybill/base/task.h"

namespace waybill::storage {

// Waits for what another thread answers. `begin` is given a function to call once, on any thread, with the T;
// the coroutine goes on on its own executor.
template <class T, class Begin>
Task<T> answer_of(Begin begin) {
  auto start = [](auto handler, Begin work) {
    auto executor = boost::asio::get_associated_executor(handler);
    auto guard = boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked);
    auto caller =
        std::make_shared<std::pair<decltype(handler), decltype(guard)>>(std::move(handler), std::move(guard));
    // The caller's loop may end as soon as it has its answer: nothing that belongs to it stays with us.
    auto finish = [executor, caller = std::move(caller)](T answer) mutable {
      boost::asio::post(executor, [caller = std::move(caller), answer = std::move(answer)]() mutable {
        std::move(caller->first)(std::move(answer));
      });
    };
    work(std::move(finish));
  };
  T answer = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(T)>(
      std::move(start), boost::asio::use_awaitable, std::move(begin));
  co_return answer;
}

}  // namespace waybill::storage
