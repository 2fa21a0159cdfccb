#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "waybill/ports/record_store.h"
#include "waybill/storage/flow.h"

// What writes records, as a part of a group's transaction. See ports/record_store.h for what they mean.
namespace waybill::storage {

Flow<absl::StatusOr<ports::RecordBatchAnswer>> record_flow(Batch& batch,
                                                           std::shared_ptr<const ports::RecordBatch> request);

struct RecordExpiry {
  absl::Time before;
  std::size_t limit = 0;
};
Flow<absl::StatusOr<std::size_t>> expire_records_flow(Batch& batch,
                                                      std::shared_ptr<const RecordExpiry> request);

struct HistoryCleaning {
  absl::Time loose_before;
  absl::Time letters_before;
  std::size_t limit = 0;
};
Flow<absl::StatusOr<std::size_t>> clean_history_flow(Batch& batch,
                                                     std::shared_ptr<const HistoryCleaning> request);

}  // namespace waybill::storage
