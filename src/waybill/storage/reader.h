#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "waybill/base/pool.h"
#include "waybill/base/status.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// Reads on threads of their own, each with a connection.
class Reader {
 public:
  Reader(const SessionFactory& connect, std::size_t connections);

  // `work` (Session& -> absl::StatusOr<…>) runs on a reader's thread; it owns what it uses. A connection that
  // was lost is made anew, and the work, as it only reads, done once more.
  template <class Work>
  Task<std::invoke_result_t<Work, Session&>> run(Work work) {
    using Answer = std::invoke_result_t<Work, Session&>;
    if (waiting_.fetch_add(1) >= kCapacity) {
      waiting_.fetch_sub(1);
      co_return error(absl::StatusCode::kResourceExhausted, "too_many_requests",
                      "too many reads wait for the database: try again later");
    }
    auto job = [this, work = std::move(work)]() mutable { return lend(work); };
    Answer answer = co_await on(pool_, std::move(job));
    waiting_.fetch_sub(1);
    co_return answer;
  }
  // The same for work (Session& -> void) that says what came of it itself, and that nobody counts.
  template <class Work>
  void post(Work work) {
    boost::asio::post(pool_, [this, work = std::move(work)]() mutable {
      std::unique_ptr<Session> session = take();
      work(*session);
      give_back(std::move(session));
    });
  }
  void join() { pool_.join(); }

 private:
  static constexpr std::size_t kCapacity = 10'000;

  template <class Work>
  std::invoke_result_t<Work, Session&> lend(Work& work) {
    std::unique_ptr<Session> session = take();
    auto answer = work(*session);
    if (absl::IsUnavailable(answer.status())) answer = work(*session);
    give_back(std::move(session));
    return answer;
  }
  std::unique_ptr<Session> take();
  void give_back(std::unique_ptr<Session> session);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;  // as many as threads
  std::atomic<std::size_t> waiting_ = 0;
  Pool pool_;
};

}  // namespace waybill::storage
