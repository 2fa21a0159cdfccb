#pragma once

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "waybill/ports/watch_report.h"

namespace waybill::rest {

// What /metrics shows of the watched clusters: a series for each scope, the ages and counts only on the
// instance that records it.
void write_watches(const std::vector<ports::WatchReport>& watches, std::string& out);

// Unavailable: a scope that this instance records has heard neither event, bookmark nor page of a list for
// five minutes. API servers send a bookmark about once a minute.
[[nodiscard]] absl::Status watches_ready(const std::vector<ports::WatchReport>& watches);

}  // namespace waybill::rest
