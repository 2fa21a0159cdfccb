#pragma once

#include <absl/status/statusor.h>
#include <libpq-fe.h>

#include <memory>
#include <string>

namespace waybill::storage {

struct FinishConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, FinishConnection>;
using Result = std::unique_ptr<PGresult, ClearResult>;

// Connects within bounds, also to a server that doesn't answer; the connection string's own settings win.
[[nodiscard]] absl::StatusOr<Connection> connect(const std::string& connection);

// The error of a result, or of a lost connection (Unavailable). `what` is what was refused.
[[nodiscard]] absl::Status to_status(PGconn* connection, const PGresult* result, const std::string& what);

}  // namespace waybill::storage
