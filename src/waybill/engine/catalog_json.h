#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>

#include "waybill/domain/catalog.h"

// Catalog entries as the JSON that overrides and revisions keep. Times and origin are not in it: a revision
// is what an entry says, not when it was said.
namespace waybill::engine {

[[nodiscard]] boost::json::object to_json(const domain::Command& command);
[[nodiscard]] boost::json::object to_json(const domain::Cluster& cluster);
[[nodiscard]] absl::StatusOr<domain::Command> command_from_json(const boost::json::value& value);
[[nodiscard]] absl::StatusOr<domain::Cluster> cluster_from_json(const boost::json::value& value);

// SHA-256 of the canonical text.
[[nodiscard]] std::string revision_of(const boost::json::object& entry);

}  // namespace waybill::engine
