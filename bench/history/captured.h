#pragma once

#include <utility>
#include <vector>

#include "waybill/ports/record_store.h"

namespace waybill::bench {

// The run history of a database that also keeps what was written, if it is told to.
class CapturingStore : public ports::RecordStore {
 public:
  explicit CapturingStore(ports::RecordStore& store) : store_(store) {}
  void keep(std::vector<ports::RecordBatch>* batches) { batches_ = batches; }

  Task<absl::StatusOr<ports::RecordBatchAnswer>> write(ports::RecordBatch batch) override {
    if (batches_ != nullptr) batches_->push_back(batch);
    return store_.write(std::move(batch));
  }
  Task<absl::StatusOr<std::string>> spec_key() override { return store_.spec_key(); }
  Task<absl::StatusOr<std::string>> cursor(domain::WatchScope scope) override {
    return store_.cursor(std::move(scope));
  }
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> load(std::string cluster,
                                                              std::vector<ports::ObjectKey> keys) override {
    return store_.load(std::move(cluster), std::move(keys));
  }
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> present(domain::WatchScope scope,
                                                                 std::uint64_t version, std::string after,
                                                                 std::size_t limit) override {
    return store_.present(std::move(scope), version, std::move(after), limit);
  }
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> outside(domain::WatchScope scope, std::string after,
                                                                 std::size_t limit) override {
    return store_.outside(std::move(scope), std::move(after), limit);
  }
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> waiting(absl::Time opened_before,
                                                                 std::size_t limit) override {
    return store_.waiting(opened_before, limit);
  }
  Task<absl::Status> note_unwatched(absl::Duration patience) override {
    return store_.note_unwatched(patience);
  }
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> unwatched(absl::Time since,
                                                                   std::size_t limit) override {
    return store_.unwatched(since, limit);
  }
  Task<absl::StatusOr<std::map<std::string, JobId>>> started_by(
      std::vector<ports::JobClaim> claims) override {
    return store_.started_by(std::move(claims));
  }
  Task<absl::StatusOr<bool>> take_lease(domain::WatchScope scope, InstanceId holder, absl::Duration lease,
                                        bool watching) override {
    return store_.take_lease(std::move(scope), std::move(holder), lease, watching);
  }
  Task<absl::Status> give_lease(domain::WatchScope scope, InstanceId holder) override {
    return store_.give_lease(std::move(scope), std::move(holder));
  }
  Task<absl::StatusOr<std::size_t>> expire(absl::Time before, std::size_t limit) override {
    return store_.expire(before, limit);
  }
  Task<absl::Status> clean(absl::Time loose_before, absl::Time letters_before, std::size_t limit) override {
    return store_.clean(loose_before, letters_before, limit);
  }

 private:
  ports::RecordStore& store_;
  std::vector<ports::RecordBatch>* batches_ = nullptr;
};

}  // namespace waybill::bench
