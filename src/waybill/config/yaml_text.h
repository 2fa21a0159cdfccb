#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "waybill/config/value.h"

namespace waybill::config {

// A value in YAML, on one line. JSON is YAML; a text that is safe without quotes is written without. A Secret
// is "***", but of a connection string only the password is hidden.
[[nodiscard]] std::string yaml_text(const Value& value);
[[nodiscard]] std::string yaml_text(const boost::json::value& value);

}  // namespace waybill::config
