#pragma once

#include <absl/status/statusor.h>

#include "waybill/ports/job_store.h"
#include "waybill/storage/queries.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// One page of GET /jobs, a keyset page without OFFSET or count. Ids are in the order of created_at, so that
// one index serves both orders. How it is read:
// - A filter that has an index with the wanted order (a text, tag or status; a prefix of few different texts)
//   is the driver: one ordered stream a value, merged.
// - A driver without such an order that finds few rows (at most 20,000) is sorted.
// - Otherwise the order's own index is walked.
// What the driver doesn't cover is checked row by row, for at most 50,000 rows a page: then the page may be
// short and has a cursor where the reading stopped. A context above 16 KiB is {"$truncated": bytes} here.
[[nodiscard]] absl::StatusOr<ports::JobPage> list_jobs(Session& session, const Queries& queries,
                                                       const ports::JobFilter& filter,
                                                       const ports::PageRequest& page);

}  // namespace waybill::storage
