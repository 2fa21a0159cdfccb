#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>

#include "waybill/domain/catalog.h"

// Catalog entries as the JSON that overrides and revisions keep, and whose hash a revision is. Times and
// origin are not in it: a revision is what an entry says, not when it was said.
namespace waybill::domain {

[[nodiscard]] boost::json::object to_json(const Command& command);
[[nodiscard]] boost::json::object to_json(const Cluster& cluster);
[[nodiscard]] absl::StatusOr<Command> command_from_json(const boost::json::value& value);
[[nodiscard]] absl::StatusOr<Cluster> cluster_from_json(const boost::json::value& value);

// SHA-256 in hex of its canonical text.
[[nodiscard]] std::string revision_of(const Command& command);
[[nodiscard]] std::string revision_of(const Cluster& cluster);

}  // namespace waybill::domain
