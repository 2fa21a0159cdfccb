#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/ports/audit_log.h"
#include "waybill/ports/catalog_store.h"
#include "waybill/ports/change_feed.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/event_store.h"
#include "waybill/ports/job_store.h"
#include "waybill/ports/record_reader.h"
#include "waybill/ports/record_store.h"
#include "waybill/ports/stats_store.h"

namespace waybill::storage {

struct DatabaseOptions {
  // "sqlite:PATH", "postgres://user:pw@host:port/db?…" or libpq's "host=… dbname=…".
  std::string connection;
  std::size_t pool_size = 8;        // connections for reading
  InstanceId instance;              // named to a second server on the same SQLite file
  std::string host;                 // likewise
  std::size_t queue_size = 20'000;  // writes that may wait; past it: ResourceExhausted
  // How long writes wait for a database that is away before they answer Unavailable.
  std::chrono::milliseconds patience{3000};
};

// An open database. All calls may come from any thread; answers come back to the caller's executor. Times
// that instances compare are the database's: SQL's waybill_now() on PostgreSQL, `clock` on SQLite, which is
// used by one host only.
class Storage {
 public:
  virtual ~Storage() = default;  // does the writes it accepted; no call may be waiting for a read

  virtual ports::JobStore& jobs() = 0;
  virtual ports::CatalogStore& catalog() = 0;
  virtual ports::EventStore& events() = 0;
  virtual ports::StatsStore& stats() = 0;
  virtual ports::RecordStore& records() = 0;         // what watchers write
  virtual ports::RecordReader& record_reader() = 0;  // what everybody reads
  virtual ports::AuditLog& audit() = 0;
  virtual ports::ChangeFeed& changes() = 0;
  // This database's own id: a uuid that goes with its data through dumps and restores.
  [[nodiscard]] virtual const std::string& mark() const = 0;
  // Whether several servers may use it at the same time.
  [[nodiscard]] virtual bool is_shared() const = 0;
  // OK if the database answers a statement; for /readyz.
  virtual Task<absl::Status> ready() = 0;
};

// Opens the database, bringing its schema up to date. Listeners of changes() are called on `io`. `clock` and
// `log` outlive it. Errors: InvalidArgument (connection string), FailedPrecondition (another server uses the
// SQLite file; the schema is of another version), Unavailable. A password is in no message. Blocks.
[[nodiscard]] absl::StatusOr<std::unique_ptr<Storage>> open(DatabaseOptions options,
                                                            boost::asio::any_io_executor io,
                                                            const ports::Clock& clock, Log& log);

// `waybill migrate`: only brings the schema up to date; the names of the migrations that were applied.
// Blocks.
[[nodiscard]] absl::StatusOr<std::vector<std::string>> migrate_database(const DatabaseOptions& options,
                                                                        const ports::Clock& clock);

// An object of a watched cluster that could not be recorded, as it came last.
struct StoredDeadLetter {
  std::string cluster, scope;    // scope: the namespace or nothing, a slash, the selector
  std::string name_space, name;  // may be empty
  std::string subject;           // the uid, or what else tells it from others
  std::string version;           // its resourceVersion
  std::int64_t size = 0;         // bytes as sent
  std::string reason;
  std::int64_t times = 0;  // how often it came
  absl::Time first_at, last_at;
};

// `waybill history dead-letters`: the newest `most` of them. Reads only, beside a server that runs. Errors:
// InvalidArgument, Unavailable (there is no such database), Internal (its schema is older). Blocks.
[[nodiscard]] absl::StatusOr<std::vector<StoredDeadLetter>> read_dead_letters(const std::string& connection,
                                                                              const ports::Clock& clock,
                                                                              std::int64_t most);

}  // namespace waybill::storage
