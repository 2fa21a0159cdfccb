#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <type_traits>
#include <utility>

#include "waybill/base/task.h"

namespace waybill {

// Threads for work that blocks: database reads, files.
using Pool = boost::asio::thread_pool;

// Runs `work` on a thread of the pool and comes back to the awaiting coroutine's executor with what it
// returned. `work` must not throw and must return a value; it must own what it uses.
template <class Work>
Task<std::invoke_result_t<Work>> on(Pool& pool,
                                    Work work) {  // NOLINT(*-reference-coroutine-parameters): outlives all
  using Result = std::invoke_result_t<Work>;
  auto start = [&pool](auto handler, Work job) {
    auto executor = boost::asio::get_associated_executor(handler);
    auto guard = boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked);
    boost::asio::post(pool, [executor, guard = std::move(guard), handler = std::move(handler),
                             job = std::move(job)]() mutable {
      Result result = job();
      // The guard goes along: the caller's loop may end with its answer, and nothing of it may stay here.
      boost::asio::post(executor,
                        [guard = std::move(guard), handler = std::move(handler),
                         result = std::move(result)]() mutable { std::move(handler)(std::move(result)); });
    });
  };
  Result result = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(Result)>(
      std::move(start), boost::asio::use_awaitable, std::move(work));
  co_return result;
}

}  // namespace waybill
