#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/config/config.h"
#include "waybill/history/watchers.h"
#include "waybill/ports/clock.h"

namespace waybill::app {

// Adds what must be watched so that the runs which this gateway's jobs start on clusters are recorded, with
// or without an entry of `history`: one for each cluster and namespace that a command of the Spark executors
// reaches and `history` does not see. A cluster that can't be reached is logged and left out. Reads files.
void add_own_runs(boost::asio::any_io_executor io, ports::Clock& clock, const config::Config& config,
                  Log& log, std::vector<history::WatchedCluster>& clusters);

}  // namespace waybill::app
