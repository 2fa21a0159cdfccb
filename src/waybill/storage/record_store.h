#pragma once

#include "waybill/ports/record_store.h"
#include "waybill/storage/reader.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

// The run history in a database, to write. Calls may come from any thread.
class SqlRecordStore : public ports::RecordStore {
 public:
  SqlRecordStore(Writer& writer, Reader& reader) : writer_(writer), reader_(reader) {}

  Task<absl::StatusOr<std::string>> spec_key() override;
  Task<absl::StatusOr<std::string>> cursor(domain::WatchScope scope) override;
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> load(std::string cluster,
                                                              std::vector<ports::ObjectKey> keys) override;
  Task<absl::StatusOr<ports::RecordBatchAnswer>> write(ports::RecordBatch batch) override;
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> present(domain::WatchScope scope,
                                                                 std::uint64_t version, std::string after,
                                                                 std::size_t limit) override;
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> outside(domain::WatchScope scope, std::string after,
                                                                 std::size_t limit) override;
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> waiting(absl::Time opened_before,
                                                                 std::size_t limit) override;
  Task<absl::Status> note_unwatched(absl::Duration patience) override;
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> unwatched(absl::Time since,
                                                                   std::size_t limit) override;
  Task<absl::StatusOr<std::map<std::string, JobId>>> started_by(std::vector<ports::JobClaim> claims) override;
  Task<absl::StatusOr<bool>> take_lease(domain::WatchScope scope, InstanceId holder, absl::Duration lease,
                                        bool watching) override;
  Task<absl::Status> give_lease(domain::WatchScope scope, InstanceId holder) override;
  Task<absl::StatusOr<std::size_t>> expire(absl::Time before, std::size_t limit) override;
  Task<absl::Status> clean(absl::Time loose_before, absl::Time letters_before, std::size_t limit) override;

 private:
  Task<absl::StatusOr<std::vector<domain::KnownObject>>> objects(Call call);

  Writer& writer_;
  Reader& reader_;
};

}  // namespace waybill::storage
