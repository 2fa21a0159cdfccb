#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/fwd.hpp>

#include "waybill/ports/executor.h"

namespace waybill::plugins {

[[nodiscard]] ports::ExecutorTraits ping_traits();

// `sleep_ms` of a merged context: 0 … 86,400,000; zero where it is absent.
[[nodiscard]] absl::StatusOr<absl::Duration> ping_sleep(const boost::json::object& context);

}  // namespace waybill::plugins
