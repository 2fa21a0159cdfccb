#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/ports/job_store.h"

namespace waybill::testing {

// A JobStore that fails where a test says: before a call took effect (nothing was stored) or after it
// (stored, but the answer was lost). Calls that change something are numbered from 1 in the order they come;
// reads only fail while down() is set. On one io thread.
class FaultyJobStore : public ports::JobStore {
 public:
  enum class Moment { kBefore, kAfter };

  explicit FaultyJobStore(ports::JobStore& store) : store_(store) {}

  // The nth change from the first fails with `status`; one fault at a time.
  void fail(int nth, Moment moment, absl::Status status = unavailable("the database is away")) {
    fault_ = Fault{nth, moment, std::move(status)};
  }
  // Everything fails until it is set to false.
  void down(bool is_down) { down_ = is_down; }
  // Only heartbeats fail, as where a lease's row can't be written, but the queue can.
  void no_heartbeats(bool fail) { no_heartbeats_ = fail; }
  [[nodiscard]] int changes() const { return changes_; }    // so far
  [[nodiscard]] bool was_hit() const { return hits_ > 0; }  // whether a fault was met

  Task<absl::StatusOr<ports::Inserted>> insert(ports::NewJob job, std::optional<ports::IdempotencyKey> key,
                                               int queued_per_user) override {
    return change(store_.insert(std::move(job), std::move(key), queued_per_user));
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<ports::Inserted>>>> insert_all(
      std::vector<ports::NewJob> jobs, bool atomic, std::optional<ports::IdempotencyKey> key,
      int queued_per_user) override {
    return change(store_.insert_all(std::move(jobs), atomic, std::move(key), queued_per_user));
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<domain::Job>>>> made_by(ports::IdempotencyKey key) override {
    return read(store_.made_by(std::move(key)));
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> claim(ports::ClaimRequest request) override {
    return change(store_.claim(std::move(request)));
  }
  Task<absl::StatusOr<domain::Job>> write(ports::JobWrite write) override {
    return change(store_.write(std::move(write)));
  }
  Task<absl::StatusOr<domain::Job>> get(JobId id) override { return read(store_.get(std::move(id))); }
  Task<absl::StatusOr<ports::JobPage>> list(ports::JobFilter filter, ports::PageRequest page) override {
    return read(store_.list(std::move(filter), std::move(page)));
  }
  Task<absl::StatusOr<std::vector<ports::JobTransition>>> transitions(JobId id) override {
    return read(store_.transitions(std::move(id)));
  }
  Task<absl::StatusOr<std::vector<domain::Attempt>>> attempts(JobId id) override {
    return read(store_.attempts(std::move(id)));
  }
  Task<absl::StatusOr<std::optional<boost::json::value>>> result_info(JobId id) override {
    return read(store_.result_info(std::move(id)));
  }
  Task<absl::StatusOr<domain::Outputs>> kept_outputs(JobId id) override {
    return read(store_.kept_outputs(std::move(id)));
  }
  Task<absl::Status> heartbeat(ports::Instance instance) override {
    if (no_heartbeats_) return refused();
    return change(store_.heartbeat(std::move(instance)));
  }
  Task<absl::StatusOr<std::vector<ports::Instance>>> instances(absl::Duration lease) override {
    return read(store_.instances(lease));
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> owned_by(InstanceId by) override {
    return read(store_.owned_by(std::move(by)));
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> orphans(InstanceId by, std::string host,
                                                         absl::Duration lease, std::size_t limit) override {
    return read(store_.orphans(std::move(by), std::move(host), lease, limit));
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> lost_hosts(std::string host, absl::Duration away,
                                                            std::size_t limit) override {
    return read(store_.lost_hosts(std::move(host), away, limit));
  }
  Task<absl::StatusOr<std::optional<absl::Time>>> next_due() override { return read(store_.next_due()); }
  Task<absl::StatusOr<std::size_t>> place_in_queue(JobId id) override {
    return read(store_.place_in_queue(std::move(id)));
  }
  Task<absl::StatusOr<std::vector<JobId>>> expire(absl::Time before, std::size_t limit) override {
    return change(store_.expire(before, limit));
  }
  Task<absl::StatusOr<std::vector<JobId>>> tombstones(std::size_t limit) override {
    return read(store_.tombstones(limit));
  }
  Task<absl::Status> forget(std::vector<JobId> ids) override { return change(store_.forget(std::move(ids))); }
  Task<absl::StatusOr<std::vector<JobId>>> unknown_of(std::vector<JobId> ids) override {
    return read(store_.unknown_of(std::move(ids)));
  }
  Task<absl::Status> expire_idempotency_keys() override { return change(store_.expire_idempotency_keys()); }

 private:
  struct Fault {
    int nth = 0;
    Moment moment = Moment::kBefore;
    absl::Status status;
  };

  // An Asio awaitable does nothing until it is awaited: one that is dropped never took effect.
  template <class Answer>
  Task<Answer> change(Task<Answer> call) {
    ++changes_;
    if (down_) co_return unavailable("the database is away");
    const std::optional<Fault> fault = fault_.has_value() && fault_->nth == changes_ ? fault_ : std::nullopt;
    if (fault.has_value()) {
      ++hits_;
      if (fault->moment == Moment::kBefore) co_return fault->status;
    }
    Answer answer = co_await std::move(call);
    if (fault.has_value()) co_return fault->status;
    co_return answer;
  }
  static Task<absl::Status> refused() { co_return unavailable("the row can't be written"); }
  template <class Answer>
  Task<Answer> read(Task<Answer> call) {
    if (down_) co_return unavailable("the database is away");
    Answer answer = co_await std::move(call);
    co_return answer;
  }

  ports::JobStore& store_;
  std::optional<Fault> fault_;
  bool down_ = false;
  bool no_heartbeats_ = false;
  int changes_ = 0;
  int hits_ = 0;
};

}  // namespace waybill::testing
