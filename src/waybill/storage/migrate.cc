#include "waybill/storage/migrate.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

struct Applied {
  std::string name;
  std::string checksum;
};

absl::Status check_applied(const std::map<std::int64_t, Applied>& applied,
                           const std::vector<Migration>& wanted) {
  for (const auto& [number, was] : applied) {
    const Migration* known = nullptr;
    for (const Migration& migration : wanted) {
      if (migration.number == number) known = &migration;
    }
    if (known == nullptr) {
      return conflict(
          fmt::format("the database has migration {}, which this version doesn't know: use the "
                      "version that made it, or a newer one",
                      was.name));
    }
    if (known->checksum != was.checksum) {
      return conflict(
          fmt::format("migration {} of the database differs from this version's (checksum {}, "
                      "expected {}): use the version that made the database",
                      was.name, was.checksum.substr(0, 12), known->checksum.substr(0, 12)));
    }
  }
  return absl::OkStatus();
}

absl::Status apply(Session& session, const Migration& migration) {
  WB_TRY(session.run_script(migration.sql));
  const auto noted = run_one(
      session, {"note_migration",
                {{"number", migration.number}, {"name", migration.name}, {"checksum", migration.checksum}}});
  return noted.status();
}

}  // namespace

std::vector<Migration> migrations(Dialect dialect) {
  const std::string other = dialect == Dialect::kSqlite ? ".postgres.sql" : ".sqlite.sql";
  std::map<std::int64_t, Migration> found;
  for (const SqlFile& file : migration_files()) {
    const std::string name = file.name;
    if (name.ends_with(other)) continue;
    Migration migration;
    migration.name = name.substr(0, name.find('.'));
    std::from_chars(name.data(), name.data() + name.find('_'), migration.number);
    migration.sql = file.text;
    migration.checksum = sha256_hex(migration.sql);
    found[migration.number] = std::move(migration);
  }
  std::vector<Migration> out;
  for (auto& [number, migration] : found) out.push_back(std::move(migration));
  return out;
}

absl::StatusOr<std::vector<std::string>> migrate(Session& session, Dialect dialect,
                                                 const std::vector<Migration>& wanted) {
  const Queries queries(dialect);
  std::vector<std::string> done;
  // Two servers that start at once: each migration is looked for under the lock that writers share.
  for (std::size_t next = 0; next <= wanted.size(); ++next) {
    WB_TRY(session.begin());
    const auto step = [&]() -> absl::StatusOr<bool> {
      WB_TRY(session.run_script(queries.text("script_lock_migrations")));
      WB_TRY(session.run_script(queries.text("script_create_migrations")));
      WB_ASSIGN(const Rows rows, run_one(session, {"applied_migrations", {}}));
      std::map<std::int64_t, Applied> applied;
      for (const Row& row : rows) applied[as_int(row[0])] = {as_text(row[1]), as_text(row[2])};
      WB_TRY(check_applied(applied, wanted));
      for (const Migration& migration : wanted) {
        if (applied.contains(migration.number)) continue;
        WB_TRY(apply(session, migration));
        done.push_back(migration.name);
        return true;
      }
      return false;
    };
    const absl::StatusOr<bool> more = step();
    if (!more.ok()) {
      session.rollback();
      return more.status();
    }
    WB_TRY(session.commit({}));
    if (!*more) break;
  }
  return done;
}

}  // namespace waybill::storage
