#pragma once

#include <coroutine>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "waybill/ports/change_feed.h"
#include "waybill/storage/session.h"

// How operations share a transaction. Each is a small coroutine, a Flow, that hands its statements to the
// Batch and waits; when all of a group wait, the statements of all go to the database in one exchange and
// every flow goes on with its own rows. So a group of 256 costs as few round trips as one operation. An
// operation sees no error: if a statement fails, the transaction is undone and its flows are thrown away and
// started anew, alone.

namespace waybill::storage {

// Jobs finished in this transaction, by the key of stats_hourly: counted once at the end.
struct StatsKey {
  std::int64_t hour = 0;
  std::string username, command, cluster;
  std::int64_t status = 0;
  std::int64_t bucket = 0;
  friend auto operator<=>(const StatsKey&, const StatsKey&) = default;
};

// One transaction of a group. Used by its writer's thread only.
class Batch {
 public:
  // co_await batch.run(calls): the rows of each call, in order.
  class Exchange {
   public:
    Exchange(Batch& batch, std::vector<Call> calls) : batch_(batch), calls_(std::move(calls)) {}
    [[nodiscard]] bool await_ready() const noexcept { return calls_.empty(); }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      batch_.waiting_.push_back(this);
    }
    std::vector<Rows> await_resume() { return std::move(answers_); }

   private:
    friend class Batch;
    Batch& batch_;
    std::vector<Call> calls_;
    std::vector<Rows> answers_;
    std::coroutine_handle<> waiting_;
  };

  [[nodiscard]] Exchange run(std::vector<Call> calls) { return {*this, std::move(calls)}; }

  // Statements that nobody waits for: they go out together with the commit. For rows that only this
  // transaction touches, as their order is not that of the exchanges' locks.
  void at_end(Call call) { last_.push_back(std::move(call)); }
  // Those, with equal queries side by side, so that a database can make one statement of them.
  [[nodiscard]] std::vector<Call> take_last();

  // A number for the next event row of this transaction.
  [[nodiscard]] std::int64_t next_event() { return events_++; }
  // How many waiting jobs this transaction has added for a user.
  std::unordered_map<std::string, std::int64_t>& added_for_user() { return added_; }
  std::vector<std::pair<StatsKey, std::int64_t>> take_stats();
  void count(StatsKey key) { ++stats_[std::move(key)]; }
  // Told to the change feed after the commit.
  void tell(ports::ChangeNotice notice) { notices_.push_back(std::move(notice)); }
  std::vector<ports::ChangeNotice> take_notices() { return std::move(notices_); }

  // Runs what all flows wait for and lets them go on, until none waits.
  absl::Status drive(Session& session);

 private:
  std::vector<Exchange*> waiting_;
  std::vector<Call> last_;
  std::int64_t events_ = 0;
  std::unordered_map<std::string, std::int64_t> added_;
  std::map<StatsKey, std::int64_t> stats_;
  std::vector<ports::ChangeNotice> notices_;
};

// The coroutine of one operation; owns its frame. T is what it answers after the commit.
template <class T>
class Flow {
 public:
  struct promise_type {
    std::optional<T> answer;
    Flow get_return_object() { return Flow(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(T value) { answer.emplace(std::move(value)); }
    void unhandled_exception() { std::terminate(); }
  };

  Flow(Flow&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Flow& operator=(Flow&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  ~Flow() {
    if (frame_) frame_.destroy();
  }

  // Once Batch::drive() came back OK.
  T take() { return *std::move(frame_.promise().answer); }

 private:
  explicit Flow(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace waybill::storage
