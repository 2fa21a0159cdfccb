#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace waybill::storage {

enum class Dialect { kSqlite, kPostgres };

// What a column or a parameter holds: null, a number (also booleans, as 0 and 1, and times, as microseconds
// since 1970) or text. Text has no U+0000.
using Value = std::variant<std::monostate, std::int64_t, std::string>;
using Row = std::vector<Value>;
using Rows = std::vector<Row>;

// Named as in the query's file, without the colon. One that the query doesn't mention is ignored, so that a
// dialect's variant may do without.
struct Param {
  std::string_view name;
  Value value;
};
using Params = std::vector<Param>;

// One statement to run.
struct Call {
  std::string query;  // name of a file in queries/, without .sql
  Params params;
  // Where in an exchange of many operations it stands: smaller ones first, equal ones as they came. Rows are
  // locked in one order by everyone, so that two writers don't wait for each other in a circle.
  std::string order = {};
  std::string text = {};  // SQL composed from fragments; `query` then names its kind for messages
  // Of a query about many rows: objects with the same members, of texts, whole numbers and nulls. PostgreSQL
  // gets all of them as one parameter `rows`; on SQLite the query runs once for each, with its members as
  // parameters.
  std::shared_ptr<const boost::json::array> rows = {};
};

// One connection to the database: used by one thread at a time. Statements are prepared once per connection.
//
// Errors: Unavailable (the connection is gone; the next use makes a new one), AlreadyExists (a unique key is
// taken), Aborted (a deadlock was broken: run the transaction again), InvalidArgument, Internal.
class Session {
 public:
  virtual ~Session() = default;

  // Runs the calls in order, in as few round trips as the database allows; the rows of each. The first error
  // ends it; within a transaction only rollback() may follow.
  virtual absl::StatusOr<std::vector<Rows>> run(std::span<const Call> calls) = 0;
  // A whole script without parameters.
  virtual absl::Status run_script(const std::string& sql) = 0;

  virtual absl::Status begin() = 0;  // for writing
  // Runs `last`, whose rows nobody wants, and commits, in one round trip where the database allows. Durable
  // when it returns OK. Unknown: the connection was lost meanwhile, it may be committed or not.
  virtual absl::Status commit(std::span<const Call> last) = 0;
  virtual void rollback() = 0;
};

// Makes a session; it connects when it is first used.
using SessionFactory = std::function<std::unique_ptr<Session>()>;

// Runs one call.
[[nodiscard]] absl::StatusOr<Rows> run_one(Session& session, Call call);

// Column readers. A value of another type reads as 0 or "".
[[nodiscard]] std::int64_t as_int(const Value& value);
[[nodiscard]] const std::string& as_text(const Value& value);
[[nodiscard]] bool is_null(const Value& value);

// Parameters by position, in the order of a statement's own list of names. InvalidArgument for a name without
// a value and for text that can't be stored.
[[nodiscard]] absl::StatusOr<std::vector<const Value*>> in_order(std::span<const std::string> names,
                                                                 const Params& params);

}  // namespace waybill::storage
