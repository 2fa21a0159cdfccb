#include "waybill/storage/postgres/postgres_session.h"

#include <fmt/format.h>
#include <poll.h>

#include <charconv>
#include <unordered_map>

#include "waybill/base/status.h"
#include "waybill/storage/postgres/connection.h"

namespace waybill::storage {
namespace {

// Composed texts are few kinds; past this many the cache is emptied.
constexpr std::size_t kCachedTexts = 300;

// Types of pg_type that are numbers for us: int8, int2, int4 and numeric (what sum() of int8 gives).
bool is_number(Oid type) { return type == 20 || type == 21 || type == 23 || type == 1700; }

struct PreparedQuery {
  std::string handle;  // the server's name for it
  std::vector<std::string> names;
  std::string sql;
  bool is_ready = false;  // the server has it
};

class PostgresSession : public Session {
 public:
  PostgresSession(std::string connection, const Queries& queries)
      : target_(std::move(connection)), queries_(queries) {}

  absl::StatusOr<std::vector<Rows>> run(std::span<const Call> calls) override {
    if (calls.empty()) return std::vector<Rows>();
    WB_TRY(ensure_connected());
    absl::StatusOr<std::vector<Rows>> answers = pipeline(calls);
    drop_if_lost();
    return answers;
  }

  absl::Status run_script(const std::string& sql) override {
    WB_TRY(ensure_connected());
    if (must_begin_) {
      WB_TRY(execute("begin"));
    }
    must_begin_ = false;
    absl::Status status = execute(sql);
    drop_if_lost();
    return status;
  }

  // Goes out with the first statements.
  absl::Status begin() override {
    WB_TRY(ensure_connected());
    must_begin_ = true;
    in_transaction_ = true;
    return absl::OkStatus();
  }

  absl::Status commit() override {
    const bool nothing = std::exchange(must_begin_, false);
    in_transaction_ = false;
    if (nothing) return absl::OkStatus();
    if (!connection_) return unavailable("the connection to the database was lost");
    absl::Status status = execute("commit");
    const bool lost = PQstatus(connection_.get()) != CONNECTION_OK;
    drop_if_lost();
    if (lost) {
      return error(
          absl::StatusCode::kUnknown, "unavailable",
          "the connection to the database was lost during a commit: whether it was stored is unknown");
    }
    return status;
  }

  void rollback() override {
    const bool nothing = std::exchange(must_begin_, false);
    in_transaction_ = false;
    if (nothing || !connection_) return;
    static_cast<void>(execute("rollback"));
    drop_if_lost();
  }

 private:
  absl::Status ensure_connected() {
    if (connection_) return absl::OkStatus();
    // A transaction doesn't survive its connection.
    if (in_transaction_) return unavailable("the connection to the database was lost");
    by_name_.clear();
    by_text_.clear();
    WB_ASSIGN(connection_, connect(target_));
    absl::Status ready = execute(queries_.text("script_session"));
    PQsetnonblocking(connection_.get(), 1);
    if (!ready.ok()) connection_.reset();
    return ready;
  }

  void drop_if_lost() {
    if (connection_ && PQstatus(connection_.get()) != CONNECTION_OK) connection_.reset();
  }

  absl::Status execute(const std::string& sql) {
    PGconn* connection = connection_.get();
    if (PQsendQuery(connection, sql.c_str()) == 0) return to_status(connection, nullptr, "a statement");
    absl::Status status;
    while (true) {
      WB_ASSIGN(const Result result, next_result());
      if (!result) return status;
      const ExecStatusType kind = PQresultStatus(result.get());
      if (status.ok() && kind != PGRES_COMMAND_OK && kind != PGRES_TUPLES_OK) {
        status = to_status(connection, result.get(), "a statement");
      }
    }
  }

  absl::StatusOr<std::vector<Rows>> pipeline(std::span<const Call> calls) {
    PGconn* connection = connection_.get();
    // A cache is never emptied between a statement and its use.
    if (by_text_.size() > kCachedTexts) {
      for (auto& [text, query] : by_text_) {
        WB_TRY(execute("deallocate \"" + query.handle + "\""));
      }
      by_text_.clear();
    }
    std::vector<Sent> sent;
    std::vector<PreparedQuery*> queries;
    std::vector<std::vector<const Value*>> values;
    for (const Call& call : calls) {
      WB_ASSIGN(PreparedQuery * query, find(call));
      WB_ASSIGN(std::vector<const Value*> ordered, in_order(query->names, call.params));
      queries.push_back(query);
      values.push_back(std::move(ordered));
    }
    if (PQenterPipelineMode(connection) == 0) return to_status(connection, nullptr, "a pipeline");
    bool fine = true;
    if (std::exchange(must_begin_, false)) {
      fine = PQsendQueryParams(connection, "begin", 0, nullptr, nullptr, nullptr, nullptr, 0) != 0;
      sent.push_back({Sent::kBegin, nullptr});
    }
    for (std::size_t i = 0; fine && i < calls.size(); ++i) {
      if (!queries[i]->is_ready) {
        fine =
            PQsendPrepare(connection, queries[i]->handle.c_str(), queries[i]->sql.c_str(), 0, nullptr) != 0;
        queries[i]->is_ready = true;  // taken back if it fails
        sent.push_back({Sent::kPrepare, queries[i]});
      }
      fine = fine && send(*queries[i], values[i]);
      sent.push_back({Sent::kCall, queries[i]});
    }
    if (!fine || PQpipelineSync(connection) == 0) {
      const absl::Status status =
          unavailable(fmt::format("the connection to the database was lost: {}", PQerrorMessage(connection)));
      connection_.reset();
      return status;
    }
    return receive(sent, calls);
  }

  struct Sent {
    enum Kind { kBegin, kPrepare, kCall };
    Kind kind;
    PreparedQuery* query;
  };

  bool send(const PreparedQuery& query, const std::vector<const Value*>& values) {
    std::vector<std::string> numbers(values.size());
    std::vector<const char*> texts(values.size(), nullptr);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (const auto* number = std::get_if<std::int64_t>(values[i])) {
        numbers[i] = std::to_string(*number);
        texts[i] = numbers[i].c_str();
      } else if (const auto* text = std::get_if<std::string>(values[i])) {
        texts[i] = text->c_str();
      }
    }
    return PQsendQueryPrepared(connection_.get(), query.handle.c_str(), static_cast<int>(values.size()),
                               texts.data(), nullptr, nullptr, 0) != 0;
  }

  // What came for each that was sent, up to the pipeline's end; the first error counts.
  absl::StatusOr<std::vector<Rows>> receive(const std::vector<Sent>& sent, std::span<const Call> calls) {
    std::vector<Rows> answers;
    absl::Status status;
    for (const Sent& item : sent) {
      const std::string what = item.query == nullptr ? "begin" : "query " + name_of(calls, answers.size());
      WB_ASSIGN(const Result result, next_result());
      const ExecStatusType kind = result ? PQresultStatus(result.get()) : PGRES_FATAL_ERROR;
      const bool good = kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK;
      if (!good && item.kind == Sent::kPrepare) item.query->is_ready = false;
      if (!good && status.ok()) status = to_status(connection_.get(), result.get(), what);
      if (good && item.kind == Sent::kCall) answers.push_back(read_rows(result.get()));
      if (!result) continue;
      WB_ASSIGN(const Result end, next_result());  // the null that ends a statement
      static_cast<void>(end);
    }
    WB_ASSIGN(const Result sync, next_result());
    static_cast<void>(sync);
    PQexitPipelineMode(connection_.get());
    WB_TRY(status);
    return answers;
  }

  static std::string name_of(std::span<const Call> calls, std::size_t index) {
    return index < calls.size() ? calls[index].query : "?";
  }

  // Sends and receives as the socket lets us, so that neither side waits for the other with full buffers.
  absl::StatusOr<Result> next_result() {
    PGconn* connection = connection_.get();
    while (true) {
      const int unsent = PQflush(connection);
      if (unsent >= 0 && PQisBusy(connection) == 0) break;
      pollfd wait{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
      if (unsent > 0) wait.events |= POLLOUT;
      const bool polled = unsent >= 0 && wait.fd >= 0 && poll(&wait, 1, -1) >= 0;
      if (!polled || PQconsumeInput(connection) == 0) {
        const absl::Status lost = to_status(connection, nullptr, "a statement");
        connection_.reset();
        return unavailable(message(lost));
      }
    }
    return Result(PQgetResult(connection));
  }

  absl::StatusOr<PreparedQuery*> find(const Call& call) {
    auto& cache = call.text.empty() ? by_name_ : by_text_;
    const std::string& key = call.text.empty() ? call.query : call.text;
    if (const auto found = cache.find(key); found != cache.end()) return &found->second;
    PreparedQuery query;
    if (call.text.empty()) {
      const Statement* statement = queries_.find(call.query);
      if (statement == nullptr) {
        return error(absl::StatusCode::kInternal, "internal",
                     fmt::format("there is no query \"{}\"", call.query));
      }
      query = {.handle = call.query, .names = statement->names, .sql = statement->sql};
    } else {
      Statement statement = to_statement(call.text, Dialect::kPostgres);
      query = {.handle = fmt::format("composed {}", ++composed_),
               .names = std::move(statement.names),
               .sql = std::move(statement.sql)};
    }
    return &cache.emplace(key, std::move(query)).first->second;
  }

  static Rows read_rows(const PGresult* result) {
    const int columns = PQnfields(result);
    Rows rows;
    rows.reserve(static_cast<std::size_t>(PQntuples(result)));
    for (int row = 0; row < PQntuples(result); ++row) {
      Row& out = rows.emplace_back();
      out.reserve(static_cast<std::size_t>(columns));
      for (int column = 0; column < columns; ++column) out.push_back(read_value(result, row, column));
    }
    return rows;
  }

  static Value read_value(const PGresult* result, int row, int column) {
    if (PQgetisnull(result, row, column) != 0) return {};
    const std::string_view text(PQgetvalue(result, row, column),
                                static_cast<std::size_t>(PQgetlength(result, row, column)));
    if (!is_number(PQftype(result, column))) return std::string(text);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  std::string target_;
  const Queries& queries_;
  Connection connection_;
  bool must_begin_ = false;
  bool in_transaction_ = false;
  std::unordered_map<std::string, PreparedQuery> by_name_;
  std::unordered_map<std::string, PreparedQuery> by_text_;
  std::int64_t composed_ = 0;
};

}  // namespace

std::unique_ptr<Session> make_postgres_session(std::string connection, const Queries& queries) {
  return std::make_unique<PostgresSession>(std::move(connection), queries);
}

}  // namespace waybill::storage
