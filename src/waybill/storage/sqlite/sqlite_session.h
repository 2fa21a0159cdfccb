#pragma once

#include <memory>
#include <string>

#include "waybill/ports/clock.h"
#include "waybill/storage/queries.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

enum class SqliteUse { kRead, kWrite };

// A connection to a SQLite file in WAL mode with full durability. waybill_now() in SQL is `clock`, as all who
// use the file are on one host. References outlive it.
[[nodiscard]] std::unique_ptr<Session> make_sqlite_session(std::string path, SqliteUse use,
                                                           const Queries& queries, const ports::Clock& clock);

}  // namespace waybill::storage
