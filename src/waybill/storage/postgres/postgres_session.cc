#include "waybill/storage/postgres/postgres_session.h"

#include <fmt/format.h>
#include <poll.h>

#include <boost/json.hpp>
#include <charconv>
#include <unordered_map>

#include "waybill/base/status.h"
#include "waybill/storage/postgres/array_text.h"
#include "waybill/storage/postgres/connection.h"

namespace waybill::storage {
namespace {

// Composed texts are few kinds; past this many the cache is emptied.
constexpr std::size_t kCachedTexts = 300;
// The file of a query's form for many.
constexpr char kMany[] = "_many";
constexpr std::size_t kMostMerged = 1000;
constexpr std::size_t kMostMergedBytes = 16U << 20U;

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
    absl::StatusOr<std::vector<Rows>> answers = pipeline(calls, Ending::kNone);
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
    drop_if_closed();
    WB_TRY(ensure_connected());
    must_begin_ = true;
    in_transaction_ = true;
    return absl::OkStatus();
  }

  absl::Status commit(std::span<const Call> last) override {
    if (must_begin_ && last.empty()) {
      must_begin_ = false;
      in_transaction_ = false;
      return absl::OkStatus();
    }
    if (!connection_) return unavailable("the connection to the database was lost");
    refused_ = false;
    const absl::Status status = pipeline(last, Ending::kCommit).status();
    drop_if_lost();
    if (status.ok()) in_transaction_ = false;
    if (status.ok() || connection_ || refused_) return status;
    return error(absl::StatusCode::kUnknown, "unavailable",
                 "the connection to the database was lost during a commit: whether it was stored is unknown");
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

  // A connection that the server ended while nobody used it: its last words, then the end.
  void drop_if_closed() {
    constexpr int kMostReads = 4;
    for (int i = 0; connection_ && i < kMostReads; ++i) {
      pollfd look{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
      if (poll(&look, 1, 0) <= 0) return;
      PQconsumeInput(connection_.get());
      drop_if_lost();
    }
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

  // A statement to send: one call, or several of one query side by side, if the query has a form for many
  // whose parameters are arrays.
  struct Step {
    PreparedQuery* query = nullptr;
    std::size_t calls = 1;
    std::vector<std::string> texts = {};   // what isn't in the calls as it is sent
    Params own = {};                       // of calls with rows
    std::vector<const char*> values = {};  // in `texts`, in `own` or in the calls
  };
  struct Sent {
    enum Kind { kBegin, kPrepare, kStep, kCommit };
    Kind kind;
    Step* step;
  };
  enum class Ending { kNone, kCommit };

  absl::StatusOr<std::vector<Rows>> pipeline(std::span<const Call> calls, Ending ending) {
    WB_TRY(trim_cache());
    WB_ASSIGN(std::vector<Step> steps, steps_of(calls));
    PGconn* connection = connection_.get();
    if (PQenterPipelineMode(connection) == 0) return to_status(connection, nullptr, "a pipeline");
    std::vector<Sent> sent;
    bool fine = true;
    const auto send_plain = [&](const char* sql, Sent::Kind kind) {
      fine = fine && PQsendQueryParams(connection, sql, 0, nullptr, nullptr, nullptr, nullptr, 0) != 0;
      sent.push_back({kind, nullptr});
    };
    if (std::exchange(must_begin_, false)) send_plain("begin", Sent::kBegin);
    for (Step& step : steps) {
      PreparedQuery& query = *step.query;
      if (!query.is_ready) {
        fine = fine && PQsendPrepare(connection, query.handle.c_str(), query.sql.c_str(), 0, nullptr) != 0;
        query.is_ready = true;  // taken back if it fails
        sent.push_back({Sent::kPrepare, &step});
      }
      fine =
          fine && PQsendQueryPrepared(connection, query.handle.c_str(), static_cast<int>(step.values.size()),
                                      step.values.data(), nullptr, nullptr, 0) != 0;
      sent.push_back({Sent::kStep, &step});
    }
    if (ending == Ending::kCommit) send_plain("commit", Sent::kCommit);
    if (!fine || PQpipelineSync(connection) == 0) {
      const absl::Status status =
          unavailable(fmt::format("the connection to the database was lost: {}", PQerrorMessage(connection)));
      connection_.reset();
      return status;
    }
    return receive(sent, calls);
  }

  // A cache is never emptied between a statement and its use.
  absl::Status trim_cache() {
    if (by_text_.size() <= kCachedTexts) return absl::OkStatus();
    for (auto& [text, query] : by_text_) {
      WB_TRY(execute("deallocate \"" + query.handle + "\""));
    }
    by_text_.clear();
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Step>> steps_of(std::span<const Call> calls) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < calls.size(); i += steps.back().calls) {
      const std::size_t count = alike(calls.subspan(i));
      if (count > 1) {
        WB_ASSIGN(steps.emplace_back(), many(calls.subspan(i, count)));
      } else {
        WB_ASSIGN(steps.emplace_back(), single(calls[i]));
      }
    }
    return steps;
  }

  // How many of the first calls may be one statement.
  [[nodiscard]] std::size_t alike(std::span<const Call> calls) const {
    const Call& first = calls.front();
    if (calls.size() < 2 || calls[1].query != first.query || !first.text.empty()) return 1;
    if (queries_.find(first.query + kMany) == nullptr) return 1;
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < calls.size() && count < kMostMerged && calls[count].query == first.query) {
      for (const Param& param : calls[count].params) {
        if (const auto* text = std::get_if<std::string>(&param.value)) bytes += text->size();
      }
      if (count > 0 && bytes > kMostMergedBytes) break;
      ++count;
    }
    return count;
  }

  absl::StatusOr<Step> single(const Call& call) {
    Step step;
    WB_ASSIGN(step.query, find(call));
    if (call.rows != nullptr) {
      step.own = call.params;
      step.own.push_back({"rows", boost::json::serialize(*call.rows)});
    }
    const Params& params = call.rows == nullptr ? call.params : step.own;
    WB_ASSIGN(const std::vector<const Value*> values, in_order(step.query->names, params));
    step.texts.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const char* sent = nullptr;
      if (const auto* number = std::get_if<std::int64_t>(values[i])) {
        step.texts[i] = std::to_string(*number);
        sent = step.texts[i].c_str();
      } else if (const auto* text = std::get_if<std::string>(values[i])) {
        sent = text->c_str();
      }
      step.values.push_back(sent);
    }
    return step;
  }

  absl::StatusOr<Step> many(std::span<const Call> calls) {
    Call form;
    form.query = calls.front().query + kMany;
    Step step;
    step.calls = calls.size();
    WB_ASSIGN(step.query, find(form));
    std::vector<std::vector<const Value*>> rows;
    rows.reserve(calls.size());
    for (const Call& call : calls) {
      WB_ASSIGN(rows.emplace_back(), in_order(step.query->names, call.params));
    }
    std::vector<const Value*> column(rows.size());
    for (std::size_t place = 0; place < step.query->names.size(); ++place) {
      for (std::size_t i = 0; i < rows.size(); ++i) column[i] = rows[i][place];
      step.texts.push_back(to_array_text(column));
    }
    for (const std::string& text : step.texts) step.values.push_back(text.c_str());
    return step;
  }

  // What came for each that was sent, up to the pipeline's end; the first error counts. The calls of a
  // statement for many have no rows.
  absl::StatusOr<std::vector<Rows>> receive(const std::vector<Sent>& sent, std::span<const Call> calls) {
    std::vector<Rows> answers;
    absl::Status status;
    for (const Sent& item : sent) {
      const std::string what =
          item.step == nullptr ? "a transaction" : "query " + name_of(calls, answers.size());
      WB_ASSIGN(const Result result, next_result());
      const ExecStatusType kind = result ? PQresultStatus(result.get()) : PGRES_FATAL_ERROR;
      const bool good = kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK;
      if (!good && item.kind == Sent::kPrepare) item.step->query->is_ready = false;
      // An error before the commit's own answer says that there was none, also if the connection is lost with
      // it.
      const bool said = !good && result && PQresultErrorField(result.get(), PG_DIAG_SQLSTATE) != nullptr;
      if (said && item.kind != Sent::kCommit) refused_ = true;
      if (!good && status.ok()) status = to_status(connection_.get(), result.get(), what);
      if (good && item.kind == Sent::kStep) {
        answers.push_back(read_rows(result.get()));
        answers.resize(answers.size() + item.step->calls - 1);
      }
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
  bool refused_ = false;  // the server said that a statement before the commit failed
  std::unordered_map<std::string, PreparedQuery> by_name_;
  std::unordered_map<std::string, PreparedQuery> by_text_;
  std::int64_t composed_ = 0;
};

}  // namespace

std::unique_ptr<Session> make_postgres_session(std::string connection, const Queries& queries) {
  return std::make_unique<PostgresSession>(std::move(connection), queries);
}

}  // namespace waybill::storage
