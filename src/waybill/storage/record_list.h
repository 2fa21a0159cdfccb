#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "waybill/ports/record_reader.h"
#include "waybill/storage/queries.h"

namespace waybill::storage {

// A page of records. A filter alone, and project with table, is one index or a few read in its order; what
// other filters there are is looked at row by row, at most 50,000 rows a page: a page may be short and go on.
[[nodiscard]] absl::StatusOr<ports::RecordPage> list_records(Session& session, const Queries& queries,
                                                             const ports::RecordFilter& filter,
                                                             const ports::RecordPageRequest& page);

[[nodiscard]] absl::StatusOr<std::vector<ports::RecordStatsBucket>> record_stats(
    Session& session, const Queries& queries, const ports::RecordStatsRequest& request);

}  // namespace waybill::storage
