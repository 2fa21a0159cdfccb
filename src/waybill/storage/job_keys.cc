#include "waybill/storage/job_keys.h"

#include <fmt/format.h>

#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_rows.h"
#include "waybill/storage/job_store.h"

namespace waybill::storage {

Call find_key_call(const ports::IdempotencyKey& key) {
  return {"find_key", {{"caller", key.caller}, {"key", key.key}}, "1"};
}

absl::Status check_key(const ports::IdempotencyKey& key, const Row& row) {
  if (as_text(row[0]) == key.endpoint && as_text(row[1]) == key.request_hash) return absl::OkStatus();
  return error(
      absl::StatusCode::kFailedPrecondition, "idempotency_conflict",
      fmt::format("idempotency key \"{}\" was used for another request: send the same one again, or use "
                  "a new key",
                  key.key));
}

absl::Status gone(const ports::IdempotencyKey& key, const std::string& id) {
  return error(absl::StatusCode::kFailedPrecondition, "job_expired",
               fmt::format("idempotency key \"{}\" made the job {}, which retention has removed since: use a "
                           "new key to run the request again",
                           key.key, id));
}

Task<absl::StatusOr<std::vector<absl::StatusOr<domain::Job>>>> SqlJobStore::made_by(
    ports::IdempotencyKey key) {
  using Made = std::vector<absl::StatusOr<domain::Job>>;
  auto work = [key = std::move(key)](Session& session) -> absl::StatusOr<Made> {
    Made made;
    WB_ASSIGN(const Rows known, run_one(session, find_key_call(key)));
    if (known.empty()) return made;
    WB_TRY(check_key(key, known[0]));
    for (const std::string& id : words_of(as_text(known[0][2]))) {
      WB_ASSIGN(const Rows rows, run_one(session, {"get_job", {{"id", id}}, ""}));
      made.push_back(rows.empty() ? absl::StatusOr<domain::Job>(gone(key, id)) : job_of(rows[0]));
    }
    return made;
  };
  absl::StatusOr<Made> made = co_await reader_.run(std::move(work));
  co_return made;
}

}  // namespace waybill::storage
