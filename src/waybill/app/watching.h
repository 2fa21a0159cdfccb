#pragma once

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/config/config.h"
#include "waybill/history/watchers.h"
#include "waybill/ports/clock.h"

namespace waybill::app {

// The clusters of the config's `history`, each with a client of its own. Errors: InvalidArgument (a
// kubeconfig; two entries that reach one API server would record every run twice), NotFound. Reads files.
[[nodiscard]] absl::StatusOr<std::vector<history::WatchedCluster>> watched_clusters(
    boost::asio::any_io_executor io, ports::Clock& clock, const config::Config& config);

}  // namespace waybill::app
