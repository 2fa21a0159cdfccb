#include <sqlite3.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/history/plain_rows.h"
#include "bench/history/plain_upserts.h"

namespace waybill::bench {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Writer {
 public:
  // Into the file itself, whose own tables are empty: copies of tables would lack their indexes.
  explicit Writer(const std::string& file) {
    sqlite3* raw = nullptr;
    sqlite3_open(file.c_str(), &raw);
    database_.reset(raw);
    run("pragma journal_mode = wal");
    run("pragma synchronous = full");
    for (const char* table : {"objects", "records", "record_manifests", "events"})
      run(std::string("delete from ") + table);
    run("pragma wal_checkpoint(truncate)");
  }

  void run(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }

  void upsert(const PlainRows& rows) {
    if (rows.rows.empty()) return;
    auto& statement = statements_[rows.table];
    if (!statement) statement = prepare(rows);
    for (const auto& row : rows.rows) {
      int place = 0;
      for (const auto& [column, value] : row) bind(statement.get(), ++place, value);
      check(sqlite3_step(statement.get()));
      sqlite3_reset(statement.get());
    }
  }

 private:
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepare(const PlainRows& rows) {
    const auto& row = rows.rows.front();
    std::string marks;
    for (std::size_t i = 0; i < row.size(); ++i) marks += i == 0 ? "?" : ", ?";
    const std::string sql = "insert into " + rows.table + " (" + join_columns(row, "", "") + ") values (" +
                            marks + ')' + on_conflict(rows);
    sqlite3_stmt* raw = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr));
    return Statement(raw);
  }

  static void bind(sqlite3_stmt* statement, int place, const boost::json::value& value) {
    if (value.is_null()) {
      sqlite3_bind_null(statement, place);
    } else if (const auto* text = value.if_string()) {
      sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_bind_int64(statement, place, value.to_number<std::int64_t>());
    }
  }

  void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
      throw std::runtime_error(sqlite3_errmsg(database_.get()));
  }

  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, Statement> statements_;
};

}  // namespace

double plain_sqlite(const std::string& file, const std::vector<ports::RecordBatch>& batches) {
  Writer writer(file);
  std::vector<std::vector<PlainRows>> all;
  for (const ports::RecordBatch& batch : batches) all.push_back(plain_rows(batch));
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& tables : all) {
    writer.run("begin immediate");
    for (const PlainRows& rows : tables) writer.upsert(rows);
    writer.run("commit");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace waybill::bench
