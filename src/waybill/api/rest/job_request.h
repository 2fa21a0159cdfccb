#pragma once

// A submit's body to a JobSpec. Internal to api/rest.

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "waybill/api/rest/query.h"
#include "waybill/domain/job.h"

namespace waybill::rest {

struct JobRequestBody {
  domain::JobSpec spec;
  std::vector<std::string> warnings;
};

// InvalidArgument naming the member. `query`: parameters that count over members; nullptr: none (bulk).
[[nodiscard]] absl::StatusOr<JobRequestBody> read_job_request(const boost::json::object& body,
                                                              const Query* query);

// InvalidArgument unless it is one of a job or a command: 0 (none) to ten years.
[[nodiscard]] absl::Status check_timeout(double seconds);

// The Idempotency-Key header's value: at most 255 visible ASCII characters; "" : there is no such header.
[[nodiscard]] absl::StatusOr<std::string> idempotency_key(const std::string* header);

}  // namespace waybill::rest
