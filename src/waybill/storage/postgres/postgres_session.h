#pragma once

#include <memory>
#include <string>

#include "waybill/storage/queries.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// A connection to PostgreSQL that sends the calls of a run as one pipeline: one round trip, whatever their
// number. `queries` outlives it.
[[nodiscard]] std::unique_ptr<Session> make_postgres_session(std::string connection, const Queries& queries);

}  // namespace waybill::storage
