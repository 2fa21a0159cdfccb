#include "waybill/storage/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void count_stats(Batch& batch, std::size_t shard) {
  for (auto& [key, jobs] : batch.take_stats()) {
    batch.at_end({"count_stats",
                  {{"hour", key.hour},
                   {"username", std::move(key.username)},
                   {"command", std::move(key.command)},
                   {"cluster", std::move(key.cluster)},
                   {"status", key.status},
                   {"bucket", key.bucket},
                   {"shard", static_cast<std::int64_t>(shard)},
                   {"jobs", jobs}}});
  }
}

// Unknown is a commit whose answer was lost: doing it again might do it twice, so the caller must look.
absl::Status for_caller(const absl::Status& status) {
  return absl::IsUnknown(status) ? unavailable(message(status)) : status;
}

}  // namespace

Writer::Writer(const SessionFactory& connect, WriterOptions options, Tell tell, Log& log)
    : connect_(connect), options_(options), tell_(std::move(tell)), log_(log) {
  for (std::size_t shard = 0; shard < options_.threads; ++shard) {
    threads_.emplace_back([this, shard] { work(shard); });
  }
}

Writer::~Writer() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Writer::add(std::unique_ptr<Operation> operation) {
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.size() < options_.capacity && !stopping_) {
      waiting_rows_ += operation->rows();
      queue_.push_back({std::move(operation), steady_clock::now()});
      if (queue_.size() == 1 || is_worth_a_group()) wake_.notify_one();
      return;
    }
  }
  operation->fail(
      error(absl::StatusCode::kResourceExhausted, "too_many_requests",
            fmt::format("{} writes wait for the database already: try again later", options_.capacity)));
}

void Writer::work(std::size_t shard) {
  const std::unique_ptr<Session> session = connect_();
  while (true) {
    Group group = next_group();
    if (group.empty()) return;
    do_group(*session, shard, std::move(group));
    {
      const std::scoped_lock lock(mutex_);
      --busy_;
    }
    wake_.notify_all();
  }
}

bool Writer::is_worth_a_group() const {
  if (queue_.empty()) return false;
  return busy_ == 0 || waiting_rows_ >= options_.rows_beside ||
         steady_clock::now() - queue_.front().since >= options_.wait_beside;
}

Writer::Group Writer::next_group() {
  std::unique_lock lock(mutex_);
  while (!is_worth_a_group()) {
    if (queue_.empty()) {
      if (stopping_) return {};
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock, queue_.front().since + options_.wait_beside);
    }
  }
  Group group;
  while (!queue_.empty() && group.size() < options_.group) {
    waiting_rows_ -= queue_.front().operation->rows();
    group.push_back(std::move(queue_.front().operation));
    queue_.pop_front();
  }
  ++busy_;
  return group;
}

void Writer::do_group(Session& session, std::size_t shard, Group group) {
  const absl::Status whole = attempt_patiently(session, shard, group);
  if (whole.ok()) {
    for (const auto& operation : group) operation->answer();
    return;
  }
  if (absl::IsUnavailable(whole) || absl::IsUnknown(whole) || group.size() == 1) {
    for (const auto& operation : group) operation->fail(for_caller(whole));
    return;
  }
  log_.debug("a group of writes failed and is done one by one", {{"reason", message(whole)}});
  for (const auto& operation : group) {
    const absl::Status alone = attempt_patiently(session, shard, std::span(&operation, 1));
    alone.ok() ? operation->answer() : operation->fail(for_caller(alone));
  }
}

// A database that restarts is back soon: wait for it within bounds instead of failing everybody at once. A
// broken deadlock is tried again as well.
absl::Status Writer::attempt_patiently(Session& session, std::size_t shard,
                                       std::span<const std::unique_ptr<Operation>> group) {
  const auto deadline = steady_clock::now() + options_.patience;
  milliseconds pause{20};
  int deadlocks = 0;
  while (true) {
    absl::Status status = attempt(session, shard, group);
    const bool again = absl::IsUnavailable(status) || (absl::IsAborted(status) && ++deadlocks < 5);
    if (!again) return status;
    if (steady_clock::now() + pause > deadline) return status;
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, pause, [this] { return stopping_; })) return status;
    pause = std::min(pause * 2, milliseconds(500));
  }
}

absl::Status Writer::attempt(Session& session, std::size_t shard,
                             std::span<const std::unique_ptr<Operation>> group) {
  Batch batch;
  const auto undo = [&](absl::Status status) {
    session.rollback();
    for (const auto& operation : group) operation->abandon();
    return status;
  };
  if (absl::Status begun = session.begin(); !begun.ok()) return begun;
  for (const auto& operation : group) operation->start(batch);
  if (absl::Status driven = batch.drive(session); !driven.ok()) return undo(std::move(driven));
  count_stats(batch, shard);
  const std::vector<Call> last = batch.take_last();
  if (absl::Status committed = session.commit(last); !committed.ok()) return undo(std::move(committed));
  if (auto notices = batch.take_notices(); !notices.empty()) tell_(std::move(notices));
  return absl::OkStatus();
}

}  // namespace waybill::storage
