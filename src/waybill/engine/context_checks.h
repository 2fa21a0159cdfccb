#pragma once

#include <absl/status/status.h>

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "waybill/ports/executor.h"

// A context held against what an executor declares. Pure. Keys of members of members are declared with dots
// ("parameters.properties"); the more exact declaration counts.
namespace waybill::engine {

// InvalidArgument that names the key: it may not be set at this level, is in `locked`, or has the wrong type.
// Keys that the executor does not know pass: templates may read them.
[[nodiscard]] absl::Status check_context(const boost::json::object& context,
                                         const ports::ExecutorTraits& traits, ports::ContextLevel level,
                                         const std::vector<std::string>& locked);

// A cluster serves commands of several executors: only what this one reads there must have the right type.
[[nodiscard]] absl::Status check_cluster_context(const boost::json::object& context,
                                                 const ports::ExecutorTraits& traits);

// InvalidArgument past `limit` objects and arrays within each other.
[[nodiscard]] absl::Status check_context_depth(const boost::json::object& context, std::size_t limit);

}  // namespace waybill::engine
