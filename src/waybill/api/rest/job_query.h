#pragma once

// The filters of GET /jobs. Internal to api/rest.

#include <absl/status/statusor.h>

#include <string>

#include "waybill/api/rest/query.h"
#include "waybill/ports/job_store.h"

namespace waybill::rest {

struct JobQuery {
  ports::JobFilter filter;
  ports::PageRequest page;
  bool nothing = false;  // no job can match
};

// `scoped_to`: the caller whose jobs alone may be seen; "" : all. `most`: the cap of `limit`.
// InvalidArgument: a status that is none, a time, an order, a direction.
[[nodiscard]] absl::StatusOr<JobQuery> read_job_query(const Query& query, const std::string& caller,
                                                      const std::string& scoped_to, std::size_t most);

}  // namespace waybill::rest
