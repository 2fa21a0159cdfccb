#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>

#include "waybill/base/ids.h"
#include "waybill/base/task.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

struct EngineParts;

// What the last probe of each cluster said.
class HealthState {
 public:
  explicit HealthState(const boost::asio::any_io_executor& io) : wake(io) {}
  std::map<ClusterId, bool> healthy;
  Wakeup wake;  // ends the wait for the next probes
};

// Probes every interval until the engine stops.
Task<void> run_probes(std::shared_ptr<EngineParts> parts);

}  // namespace waybill::engine
