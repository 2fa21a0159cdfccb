#pragma once

// Why a route was or was not found. Internal to api/rest.

#include <string>

#include "waybill/api/rest/api.h"
#include "waybill/domain/matching.h"

namespace waybill::rest {

// A dry run over the catalog as it is now.
[[nodiscard]] domain::Explanation explained(const Api& api, const domain::Criteria& command_criteria,
                                            const domain::Criteria& cluster_criteria);
// [{"command"?,"cluster"?,"missing":[…]}]
[[nodiscard]] std::string near_misses_json(const Api& api, const domain::Criteria& command_criteria,
                                           const domain::Criteria& cluster_criteria);

}  // namespace waybill::rest
