#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/fwd.hpp>

#include "waybill/domain/record.h"
#include "waybill/ports/record_store.h"
#include "waybill/storage/session.h"

// Records and watched objects as rows, and back.
namespace waybill::storage {

// A row of part_record_rows.
[[nodiscard]] boost::json::object to_row(const domain::Record& record);
// From the columns of part_record_columns. Internal if a column can't be read.
[[nodiscard]] absl::StatusOr<domain::Record> record_of(const Row& row);

// A row of part_object_rows.
[[nodiscard]] boost::json::object to_row(const ports::ObjectWrite& write, absl::Time now);
// From the columns of part_object_columns, with the run number that follows it; without records.
struct ObjectRow {
  domain::KnownObject object;
  int run_number = 0;
};
[[nodiscard]] ObjectRow object_of(const Row& row);

}  // namespace waybill::storage
