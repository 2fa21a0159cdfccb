#pragma once

#include <absl/status/status.h>

#include "waybill/ports/job_store.h"
#include "waybill/storage/queries.h"

namespace waybill::storage {

// Answers at most one row: endpoint, request_hash, job_ids.
[[nodiscard]] Call find_key_call(const ports::IdempotencyKey& key);

// Whether that row is of the same request. FailedPrecondition "idempotency_conflict" if not.
[[nodiscard]] absl::Status check_key(const ports::IdempotencyKey& key, const Row& row);

// What a key answers for a job that it made and that is gone: NotFound, since a key never makes a second run.
[[nodiscard]] absl::Status gone(const ports::IdempotencyKey& key, const std::string& id);

}  // namespace waybill::storage
