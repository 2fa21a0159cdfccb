#include "waybill/storage/sqlite/sqlite_session.h"

#include <absl/time/time.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <boost/json.hpp>
#include <unordered_map>

#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

constexpr int kBusyMilliseconds = 5000;
// Composed texts are few kinds; past this many the cache is emptied.
constexpr std::size_t kCachedTexts = 300;

absl::Status to_status(sqlite3* database, int code, std::string_view what) {
  const char* reason = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
  const std::string text = fmt::format("the database refused {}: {}", what, reason);
  const int extended = database == nullptr ? code : sqlite3_extended_errcode(database);
  if (extended == SQLITE_CONSTRAINT_PRIMARYKEY || extended == SQLITE_CONSTRAINT_UNIQUE) {
    return error(absl::StatusCode::kAlreadyExists, "conflict", text);
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return unavailable(text);
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
      return invalid(text);
    default:
      return error(absl::StatusCode::kInternal, "internal", text);
  }
}

void now_function(sqlite3_context* context, int /*count*/, sqlite3_value** /*values*/) {
  const auto* clock = static_cast<const ports::Clock*>(sqlite3_user_data(context));
  sqlite3_result_int64(context, absl::ToUnixMicros(clock->now()));
}

// Texts are not copied: they live as long as the call.
void bind_value(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, place);
  }
}

// What a statement's places are given: a call's own parameters, or members of one of its rows.
class RowPlaces {
 public:
  static absl::StatusOr<RowPlaces> find(const std::vector<std::string>& names, const Call& call) {
    RowPlaces places;
    const boost::json::object& first = call.rows->front().as_object();
    for (const std::string& name : names) {
      Place& place = places.places_.emplace_back();
      const auto member = first.find(name);
      if (member != first.end()) {
        place.member = static_cast<std::size_t>(member - first.begin());
        continue;
      }
      WB_ASSIGN(const std::vector<const Value*> value, in_order(std::vector{name}, call.params));
      place.value = value.front();
    }
    places.members_ = first.size();
    return places;
  }

  // Texts are not copied: they live as long as the call.
  absl::Status bind(sqlite3_stmt* statement, const boost::json::object& row) const {
    if (row.size() != members_) return invalid("the rows of a query have different members");
    int at = 0;
    for (const Place& place : places_) {
      ++at;
      if (place.value != nullptr) {
        bind_value(statement, at, *place.value);
        continue;
      }
      const auto* member = row.begin() + static_cast<std::ptrdiff_t>(place.member);
      const boost::json::value& value = member->value();
      if (const auto* text = value.if_string()) {
        if (text->find('\0') != boost::json::string::npos) {
          return invalid(fmt::format("the text of \"{}\" has the character U+0000, which can't be stored",
                                     std::string_view(member->key())));
        }
        sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
      } else if (const auto* number = value.if_int64()) {
        sqlite3_bind_int64(statement, at, *number);
      } else {
        sqlite3_bind_null(statement, at);
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Place {
    const Value* value = nullptr;
    std::size_t member = 0;  // of each row, where there is no value
  };
  std::vector<Place> places_;
  std::size_t members_ = 0;
};

struct PreparedQuery {
  Prepared handle;
  std::vector<std::string> names;
};

class SqliteSession : public Session {
 public:
  SqliteSession(std::string path, SqliteUse use, const Queries& queries, const ports::Clock& clock)
      : path_(std::move(path)), use_(use), queries_(queries), clock_(clock) {}

  absl::StatusOr<std::vector<Rows>> run(std::span<const Call> calls) override {
    WB_TRY(connect());
    std::vector<Rows> answers;
    answers.reserve(calls.size());
    for (const Call& call : calls) {
      WB_ASSIGN(Rows rows, run_call(call));
      answers.push_back(std::move(rows));
    }
    return answers;
  }

  absl::Status run_script(const std::string& sql) override {
    WB_TRY(connect());
    return execute(sql.c_str(), "a script");
  }

  absl::Status begin() override {
    WB_TRY(connect());
    return execute("begin immediate", "a transaction");
  }
  absl::Status commit(std::span<const Call> last) override {
    for (const Call& call : last) {
      const absl::StatusOr<Rows> rows = run_call(call);
      WB_TRY(rows);
    }
    return execute("commit", "a commit");
  }
  void rollback() override {
    if (database_ && sqlite3_get_autocommit(database_.get()) == 0) {
      static_cast<void>(execute("rollback", "a rollback"));
    }
  }

 private:
  absl::Status connect() {
    if (database_) return absl::OkStatus();
    sqlite3* raw = nullptr;
    // Each session is used by one thread at a time, so SQLite needs no lock of its own.
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (use_ == SqliteUse::kWrite ? SQLITE_OPEN_CREATE : 0);
    const int opened = sqlite3_open_v2(path_.c_str(), &raw, flags, nullptr);
    Database database(raw);
    if (opened != SQLITE_OK) return to_status(raw, opened, fmt::format("to open \"{}\"", path_));
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    sqlite3_extended_result_codes(raw, 1);
    // SQLite takes user data as a plain pointer; the function only reads it.
    sqlite3_create_function_v2(raw, "waybill_now", 0, SQLITE_UTF8,
                               const_cast<ports::Clock*>(&clock_),  // NOLINT(*-const-cast)
                               now_function, nullptr, nullptr, nullptr);
    database_ = std::move(database);
    absl::Status ready = execute(queries_.text("script_session").c_str(), "its settings");
    if (ready.ok() && use_ == SqliteUse::kRead) ready = execute("pragma query_only = on", "its settings");
    if (!ready.ok()) database_.reset();
    return ready;
  }

  absl::Status execute(const char* sql, std::string_view what) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? absl::OkStatus() : to_status(database_.get(), code, what);
  }

  absl::StatusOr<PreparedQuery*> prepared(const Call& call) {
    auto& cache = call.text.empty() ? by_name_ : by_text_;
    const std::string& key = call.text.empty() ? call.query : call.text;
    if (const auto found = cache.find(key); found != cache.end()) return &found->second;
    if (cache.size() > kCachedTexts) cache.clear();
    Statement composed;
    const Statement* statement = &composed;
    if (!call.text.empty()) {
      composed = to_statement(call.text, Dialect::kSqlite);
    } else {
      statement = queries_.find(call.query);
    }
    if (statement == nullptr) {
      return error(absl::StatusCode::kInternal, "internal",
                   fmt::format("there is no query \"{}\"", call.query));
    }
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), statement->sql.c_str(), -1,
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK) return to_status(database_.get(), code, "query " + call.query);
    return &cache.emplace(key, PreparedQuery{Prepared(raw), statement->names}).first->second;
  }

  absl::StatusOr<Rows> run_call(const Call& call) {
    WB_ASSIGN(PreparedQuery * query, prepared(call));
    Rows rows;
    if (call.rows != nullptr) {
      WB_TRY(run_each(*query, call, rows));
      return rows;
    }
    WB_ASSIGN(const std::vector<const Value*> values, in_order(query->names, call.params));
    sqlite3_stmt* statement = query->handle.get();
    for (std::size_t i = 0; i < values.size(); ++i)
      bind_value(statement, static_cast<int>(i) + 1, *values[i]);
    WB_TRY(run_bound(statement, call.query, rows));
    return rows;
  }

  absl::Status run_each(PreparedQuery& query, const Call& call, Rows& rows) {
    if (call.rows->empty()) return absl::OkStatus();
    WB_ASSIGN(const RowPlaces places, RowPlaces::find(query.names, call));
    for (const boost::json::value& row : *call.rows) {
      WB_TRY(places.bind(query.handle.get(), row.as_object()));
      WB_TRY(run_bound(query.handle.get(), call.query, rows));
    }
    return absl::OkStatus();
  }

  absl::Status run_bound(sqlite3_stmt* statement, const std::string& name, Rows& rows) {
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) rows.push_back(read_row(statement));
    absl::Status status;
    if (code != SQLITE_DONE) status = to_status(database_.get(), code, "query " + name);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
  }

  static Row read_row(sqlite3_stmt* statement) {
    const int columns = sqlite3_column_count(statement);
    Row row;
    row.reserve(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i) {
      const int type = sqlite3_column_type(statement, i);
      if (type == SQLITE_INTEGER) {
        row.emplace_back(static_cast<std::int64_t>(sqlite3_column_int64(statement, i)));
      } else if (type == SQLITE_NULL) {
        row.emplace_back();
      } else {
        const void* bytes = sqlite3_column_blob(statement, i);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        row.emplace_back(size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size));
      }
    }
    return row;
  }

  std::string path_;
  SqliteUse use_;
  const Queries& queries_;
  const ports::Clock& clock_;
  Database database_;
  // After the database, so that statements go before it.
  std::unordered_map<std::string, PreparedQuery> by_name_;
  std::unordered_map<std::string, PreparedQuery> by_text_;
};

}  // namespace

std::unique_ptr<Session> make_sqlite_session(std::string path, SqliteUse use, const Queries& queries,
                                             const ports::Clock& clock) {
  return std::make_unique<SqliteSession>(std::move(path), use, queries, clock);
}

}  // namespace waybill::storage
