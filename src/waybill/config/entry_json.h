#pragma once

#include <boost/json/object.hpp>

#include "waybill/domain/catalog.h"

namespace waybill::config {

// A catalog entry as JSON with the keys and the form of the config file, for `config show`. Secret references
// stay unresolved; times and origin are not in it.
[[nodiscard]] boost::json::object entry_json(const domain::Command& command);
[[nodiscard]] boost::json::object entry_json(const domain::Cluster& cluster);

}  // namespace waybill::config
