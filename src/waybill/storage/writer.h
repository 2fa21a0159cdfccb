#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/storage/answer.h"
#include "waybill/storage/flow.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// Something to do within a group's transaction. Used by one thread at a time.
class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] virtual std::size_t rows() const = 0;  // about how many it writes
  virtual void start(Batch& batch) = 0;                // anew after each failure
  virtual void abandon() = 0;                          // the transaction was undone
  virtual void answer() = 0;                           // it was committed
  virtual void fail(absl::Status status) = 0;
};

// An operation made of a Flow; `finish` is called on the writer's thread with its answer or the error.
template <class T>
class FlowOperation : public Operation {
 public:
  using Make = std::function<Flow<absl::StatusOr<T>>(Batch&)>;
  using Finish = std::function<void(absl::StatusOr<T>)>;
  FlowOperation(std::size_t rows, Make make, Finish finish)
      : rows_(rows), make_(std::move(make)), finish_(std::move(finish)) {}

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  void start(Batch& batch) override { flow_.emplace(make_(batch)); }
  void abandon() override { flow_.reset(); }
  void answer() override { finish_(flow_->take()); }
  void fail(absl::Status status) override { finish_(std::move(status)); }

 private:
  std::size_t rows_;
  Make make_;
  Finish finish_;
  std::optional<Flow<absl::StatusOr<T>>> flow_;
};

struct WriterOptions {
  std::size_t threads = 1;
  std::size_t capacity = 20'000;  // operations that may wait
  std::size_t group = 256;
  // A group beside another only when it is worth a commit of its own: this many rows, or none that waited so
  // long.
  std::size_t rows_beside = 8;
  std::chrono::milliseconds wait_beside{5};
  std::chrono::milliseconds patience{3000};  // how long a group waits for a database that is away
};

// Writes in groups: each thread takes all that waits (up to `group` operations of any kind), does them in one
// transaction and answers after the commit. A group that fails is done again one by one, so that one bad
// operation fails alone.
class Writer {
 public:
  using Tell = std::function<void(std::vector<ports::ChangeNotice>)>;

  // `tell` is called after each commit, on a writer's thread.
  Writer(const SessionFactory& connect, WriterOptions options, Tell tell, Log& log);
  ~Writer();  // does what was accepted, then ends
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Any thread.
  void add(std::unique_ptr<Operation> operation);

  // `make` may be called more than once; it owns (or shares) what the flow uses.
  template <class T>
  Task<absl::StatusOr<T>> run(std::function<Flow<absl::StatusOr<T>>(Batch&)> make, std::size_t rows = 1) {
    auto begin = [this, rows, make = std::move(make)](typename FlowOperation<T>::Finish finish) mutable {
      add(std::make_unique<FlowOperation<T>>(rows, std::move(make), std::move(finish)));
    };
    absl::StatusOr<T> answer = co_await answer_of<absl::StatusOr<T>>(std::move(begin));
    co_return answer;
  }

 private:
  using Group = std::vector<std::unique_ptr<Operation>>;
  struct Waiting {
    std::unique_ptr<Operation> operation;
    std::chrono::steady_clock::time_point since;
  };

  void work(std::size_t shard);
  Group next_group();
  [[nodiscard]] bool is_worth_a_group() const;  // under mutex_
  void do_group(Session& session, std::size_t shard, Group group);
  absl::Status attempt(Session& session, std::size_t shard,
                       std::span<const std::unique_ptr<Operation>> group);
  absl::Status attempt_patiently(Session& session, std::size_t shard,
                                 std::span<const std::unique_ptr<Operation>> group);

  SessionFactory connect_;
  WriterOptions options_;
  Tell tell_;
  Log& log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> queue_;
  std::size_t waiting_rows_ = 0;
  std::size_t busy_ = 0;  // threads with a group
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace waybill::storage
