#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "waybill/domain/catalog.h"

namespace waybill::config {

// A catalog entry as JSON with the keys of the config file: what is hashed for `revision`. Secret references
// stay unresolved; times and origin are not in it.
[[nodiscard]] boost::json::object entry_json(const domain::Command& command);
[[nodiscard]] boost::json::object entry_json(const domain::Cluster& cluster);

// SHA-256 in hex of the canonical form of entry_json.
[[nodiscard]] std::string revision_of(const domain::Command& command);
[[nodiscard]] std::string revision_of(const domain::Cluster& cluster);

}  // namespace waybill::config
