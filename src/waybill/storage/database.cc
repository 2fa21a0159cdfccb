#include "waybill/storage/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "waybill/base/redact.h"
#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/storage/audit_log.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/catalog_store.h"
#include "waybill/storage/change_feed.h"
#include "waybill/storage/columns.h"
#include "waybill/storage/event_store.h"
#include "waybill/storage/job_store.h"
#include "waybill/storage/migrate.h"
#include "waybill/storage/postgres/notice_line.h"
#include "waybill/storage/postgres/postgres_session.h"
#include "waybill/storage/record_reader.h"
#include "waybill/storage/record_store.h"
#include "waybill/storage/sqlite/lock_file.h"
#include "waybill/storage/sqlite/sqlite_session.h"
#include "waybill/storage/stats_store.h"

namespace waybill::storage {
namespace {

struct Target {
  Dialect dialect = Dialect::kSqlite;
  std::string text;  // a path, or libpq's connection string
};

absl::StatusOr<Target> parse_connection(const std::string& connection) {
  if (connection.starts_with("sqlite:")) {
    std::string path = connection.substr(7);
    if (path.starts_with("//")) path.erase(0, 2);
    if (path.empty() || path.starts_with(":memory:")) {
      return invalid("the connection string \"sqlite:\" needs a file: sqlite:./waybill.db");
    }
    return Target{Dialect::kSqlite, path};
  }
  const bool url = connection.starts_with("postgres://") || connection.starts_with("postgresql://");
  const bool words = connection.find('=') != std::string::npos;
  if (url || words) return Target{Dialect::kPostgres, connection};
  return invalid(
      fmt::format("\"{}\" is not a connection string: use sqlite:PATH or postgres://user:password@host/db",
                  masked_connection(connection)));
}

// The parts of an open database, from the connections up.
class SqlStorage : public Storage {
 public:
  SqlStorage(Dialect dialect, boost::asio::any_io_executor io) : queries(dialect), feed(std::move(io)) {}

  void connect(const SessionFactory& write, const SessionFactory& read, const DatabaseOptions& options,
               const ports::Clock& clock, Log& log) {
    const WriterOptions writing = {.threads = queries.dialect() == Dialect::kSqlite ? 1U : 2U,
                                   .capacity = options.queue_size,
                                   .patience = options.patience};
    reader.emplace(read, options.pool_size);
    writer.emplace(
        write, writing, [this](const std::vector<ports::ChangeNotice>& notices) { tell(notices); }, log);
    job_store.emplace(*writer, *reader, queries, clock);
    catalog_store.emplace(*writer, *reader);
    event_store.emplace(*writer, *reader);
    stats_store.emplace(*reader);
    record_store.emplace(*writer, *reader);
    records_read.emplace(*reader, queries);
    audit_log.emplace(*writer);
  }

  void tell(const std::vector<ports::ChangeNotice>& notices) {
    feed.publish(notices);
    if (line.has_value()) line->send(notices);
  }

  ports::JobStore& jobs() override { return *job_store; }
  ports::CatalogStore& catalog() override { return *catalog_store; }
  ports::EventStore& events() override { return *event_store; }
  ports::StatsStore& stats() override { return *stats_store; }
  ports::RecordStore& records() override { return *record_store; }
  ports::RecordReader& record_reader() override { return *records_read; }
  ports::AuditLog& audit() override { return *audit_log; }
  ports::ChangeFeed& changes() override { return feed; }
  const std::string& mark() const override { return database_mark; }
  bool is_shared() const override { return queries.dialect() == Dialect::kPostgres; }
  Task<absl::Status> ready() override {
    Call call{"ping", {}};
    const absl::StatusOr<Rows> rows = co_await read_rows(*reader, std::move(call));
    co_return rows.status();
  }

  std::optional<LockFile> lock;  // given back last
  std::string database_mark;
  Queries queries;
  LocalFeed feed;
  std::optional<NoticeLine> line;  // to other instances; SQLite has none
  std::optional<Reader> reader;
  std::optional<Writer> writer;
  std::optional<SqlJobStore> job_store;
  std::optional<SqlCatalogStore> catalog_store;
  std::optional<SqlEventStore> event_store;
  std::optional<SqlStatsStore> stats_store;
  std::optional<SqlRecordStore> record_store;
  std::optional<SqlRecordReader> records_read;
  std::optional<SqlAuditLog> audit_log;
};

absl::StatusOr<std::string> read_mark(Session& session) {
  WB_ASSIGN(const Rows rows, run_one(session, {"database_mark", {}}));
  if (rows.size() == 1) return as_text(rows.front()[0]);
  return conflict(
      fmt::format("the table database_mark has {} rows, expected 1: restore it from a backup", rows.size()));
}

// Data in a database is for the server's user alone.
absl::Status make_private(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem)
    return unavailable(fmt::format("cannot make the folder of \"{}\": {}", path, problem.message()));
  // SQLite gives its other files the mode of this one.
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.ok()) return unavailable(fmt::format("cannot open \"{}\": {}", path, std::strerror(errno)));
  return absl::OkStatus();
}

absl::StatusOr<LockFile> lock_sqlite(const std::string& path, const DatabaseOptions& options) {
  return LockFile::take(path + ".lock", fmt::format("instance {}, pid {}, host {}", options.instance.str(),
                                                    getpid(), options.host));
}

absl::StatusOr<std::unique_ptr<Storage>> open_sqlite(const std::string& path, const DatabaseOptions& options,
                                                     boost::asio::any_io_executor io,
                                                     const ports::Clock& clock, Log& log) {
  WB_TRY(make_private(path));
  auto storage = std::make_unique<SqlStorage>(Dialect::kSqlite, std::move(io));
  WB_ASSIGN(storage->lock, lock_sqlite(path, options));
  const Queries& queries = storage->queries;
  const auto session = [path, &queries, &clock](SqliteUse use) {
    return [path, use, &queries, &clock] { return make_sqlite_session(path, use, queries, clock); };
  };
  const std::unique_ptr<Session> first = session(SqliteUse::kWrite)();
  const auto migrated = migrate(*first, Dialect::kSqlite, migrations(Dialect::kSqlite));
  WB_TRY(migrated);
  WB_ASSIGN(storage->database_mark, read_mark(*first));
  storage->connect(session(SqliteUse::kWrite), session(SqliteUse::kRead), options, clock, log);
  return storage;
}

absl::StatusOr<std::unique_ptr<Storage>> open_postgres(const std::string& target,
                                                       const DatabaseOptions& options,
                                                       boost::asio::any_io_executor io,
                                                       const ports::Clock& clock, Log& log) {
  auto storage = std::make_unique<SqlStorage>(Dialect::kPostgres, std::move(io));
  const Queries& queries = storage->queries;
  const SessionFactory session = [target, &queries] { return make_postgres_session(target, queries); };
  const std::unique_ptr<Session> first = session();
  const auto migrated = migrate(*first, Dialect::kPostgres, migrations(Dialect::kPostgres));
  WB_TRY(migrated);
  WB_ASSIGN(storage->database_mark, read_mark(*first));
  storage->line.emplace(target, storage->feed, queries, log);
  storage->connect(session, session, options, clock, log);
  return storage;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Storage>> open(DatabaseOptions options, boost::asio::any_io_executor io,
                                              const ports::Clock& clock, Log& log) {
  WB_ASSIGN(const Target target, parse_connection(options.connection));
  if (target.dialect == Dialect::kPostgres) {
    return open_postgres(target.text, options, std::move(io), clock, log);
  }
  return open_sqlite(target.text, options, std::move(io), clock, log);
}

absl::StatusOr<std::vector<std::string>> migrate_database(const DatabaseOptions& options,
                                                          const ports::Clock& clock) {
  WB_ASSIGN(const Target target, parse_connection(options.connection));
  const Queries queries(target.dialect);
  if (target.dialect == Dialect::kPostgres) {
    const std::unique_ptr<Session> session = make_postgres_session(target.text, queries);
    return migrate(*session, target.dialect, migrations(target.dialect));
  }
  WB_TRY(make_private(target.text));
  WB_ASSIGN(const LockFile lock, lock_sqlite(target.text, options));
  const std::unique_ptr<Session> session =
      make_sqlite_session(target.text, SqliteUse::kWrite, queries, clock);
  return migrate(*session, target.dialect, migrations(target.dialect));
}

absl::StatusOr<std::vector<StoredDeadLetter>> read_dead_letters(const std::string& connection,
                                                                const ports::Clock& clock,
                                                                std::int64_t most) {
  WB_ASSIGN(const Target target, parse_connection(connection));
  const Queries queries(target.dialect);
  const std::unique_ptr<Session> session =
      target.dialect == Dialect::kPostgres
          ? make_postgres_session(target.text, queries)
          : make_sqlite_session(target.text, SqliteUse::kRead, queries, clock);
  WB_ASSIGN(const Rows rows, run_one(*session, {"dead_letters", {{"most", most}}}));
  std::vector<StoredDeadLetter> letters;
  for (const Row& row : rows) {
    Columns columns(row);
    StoredDeadLetter& letter = letters.emplace_back();
    letter.cluster = columns.text();
    letter.scope = columns.text();
    letter.name_space = columns.text();
    letter.name = columns.text();
    letter.subject = columns.text();
    letter.version = columns.text();
    letter.size = columns.number();
    letter.reason = columns.text();
    letter.times = columns.number();
    letter.first_at = absl::FromUnixMicros(columns.number());
    letter.last_at = absl::FromUnixMicros(columns.number());
  }
  return letters;
}

}  // namespace waybill::storage
