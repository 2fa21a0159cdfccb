#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "waybill/storage/queries.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

struct Migration {
  std::int64_t number = 0;
  std::string name;  // "0001_jobs"
  std::string sql;
  std::string checksum;  // SHA-256 of sql
};

// Those of the program, in order.
[[nodiscard]] std::vector<Migration> migrations(Dialect dialect);

// Brings the schema up to date, each migration in a transaction of its own; answers the names of those that
// were applied. FailedPrecondition if an applied one isn't what the program knows: the database was made by
// another version or changed by hand.
[[nodiscard]] absl::StatusOr<std::vector<std::string>> migrate(Session& session, Dialect dialect,
                                                               const std::vector<Migration>& wanted);

}  // namespace waybill::storage
