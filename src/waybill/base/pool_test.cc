#include "waybill/base/pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/support/test_io.h"

namespace waybill {
namespace {

Task<bool> comes_back(Pool& pool,
                      std::thread::id io_thread) {   // NOLINT(*-reference-coroutine-parameters): run at once
  auto where = std::make_unique<std::thread::id>();  // a result that can only be moved
  std::unique_ptr<std::thread::id> ran = co_await on(pool, [where = std::move(where)]() mutable {
    *where = std::this_thread::get_id();
    return std::move(where);
  });
  co_return *ran != io_thread&& std::this_thread::get_id() == io_thread;
}

TEST(Pool, RunsTheWorkElsewhereAndComesBackToTheCallersThread) {
  Pool pool(2);
  testing::TestIo io;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(io.run(comes_back(pool, std::this_thread::get_id())));
  pool.join();
}

}  // namespace
}  // namespace waybill
