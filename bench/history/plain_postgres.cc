#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>

#include "bench/history/plain_rows.h"
#include "bench/history/plain_upserts.h"

namespace waybill::bench {
namespace {

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};

constexpr std::size_t kRows = 100;  // of a statement; statements are prepared once

class Writer {
 public:
  explicit Writer(const std::string& connection) : connection_(PQconnectdb(connection.c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    run("set client_min_messages = warning");
    for (const char* table : {"objects", "records", "record_manifests", "events"}) {
      run(std::string("drop table if exists plain_") + table);
      run(std::string("create table plain_") + table + " (like " + table + " including all)");
    }
    run("alter table plain_events alter position set default 0, drop constraint plain_events_pkey");
    run("create sequence if not exists plain_position");
    run("alter table plain_events alter position set default nextval('plain_position'), add primary key "
        "(position)");
  }

  void run(const std::string& sql) { check(PQexec(connection_.get(), sql.c_str())); }

  void upsert(const PlainRows& rows) {
    for (std::size_t at = 0; at < rows.rows.size();) {
      std::size_t count = kRows;  // else the next power of two below: few statements to prepare
      while (count > rows.rows.size() - at) count = count == kRows ? 64 : count / 2;
      const std::string name = rows.table + std::to_string(count);
      if (prepared_.insert(name).second) prepare(name, rows, count);
      send(name, rows, at, count);
      at += count;
    }
  }

 private:
  void prepare(const std::string& name, const PlainRows& rows, std::size_t count) {
    const auto& row = rows.rows.front();
    std::string values;
    std::size_t place = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values += i == 0 ? "(" : ", (";
      for (std::size_t column = 0; column < row.size(); ++column)
        values += (column == 0 ? "$" : ", $") + std::to_string(++place);
      values += ')';
    }
    const std::string sql = "insert into plain_" + rows.table + " (" + join_columns(row, "", "") +
                            ") values " + values + on_conflict(rows);
    check(PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr));
  }

  void send(const std::string& name, const PlainRows& rows, std::size_t at, std::size_t count) {
    std::vector<std::string> texts;
    std::vector<const char*> values;
    texts.reserve(count * rows.rows.front().size());
    for (std::size_t i = at; i < at + count; ++i) {
      for (const auto& [column, value] : rows.rows[i]) {
        if (value.is_null()) {
          values.push_back(nullptr);
          continue;
        }
        texts.push_back(value.is_string() ? std::string(value.get_string())
                                          : std::to_string(value.to_number<std::int64_t>()));
        values.push_back(texts.back().c_str());
      }
    }
    check(PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()), values.data(),
                         nullptr, nullptr, 0));
  }

  void check(PGresult* raw) {
    const std::unique_ptr<PGresult, Clear> result(raw);
    const ExecStatusType kind = PQresultStatus(result.get());
    if (kind != PGRES_COMMAND_OK && kind != PGRES_TUPLES_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
  }

  std::unique_ptr<PGconn, Finish> connection_;
  std::set<std::string> prepared_;
};

}  // namespace

double plain_postgres(const std::string& connection, const std::vector<ports::RecordBatch>& batches) {
  Writer writer(connection);
  std::vector<std::vector<PlainRows>> all;
  for (const ports::RecordBatch& batch : batches) all.push_back(plain_rows(batch));
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& tables : all) {
    writer.run("begin");
    for (const PlainRows& rows : tables) writer.upsert(rows);
    writer.run("commit");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace waybill::bench
