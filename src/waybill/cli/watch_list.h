#pragma once

#include <absl/status/status.h>

#include "waybill/cli/resources.h"
#include "waybill/cli/session.h"

namespace waybill::cli {

// Prints the first page of a list, then a row again whenever it is new or has changed, until interrupted or
// nobody reads any more. Server-sent events say when to look; without them it looks every two seconds.
[[nodiscard]] absl::Status watch_list(Session& session, const Resource& resource, Query query,
                                      std::size_t limit);

}  // namespace waybill::cli
