#pragma once

#include <absl/status/status.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "waybill/ports/executor.h"

// One rule for a context's values, wherever they come from: the file, a PUT, a submit.
namespace waybill::config {

// InvalidArgument says what the plugin takes under this key instead of the value. Null counts as absent, a
// reference to a secret as the text that it stands for.
[[nodiscard]] absl::Status check_context_value(const boost::json::value& value, const ports::ContextKey& key,
                                               const std::string& plugin);

[[nodiscard]] std::string_view to_string(ports::ContextType type);  // "a text", "a list of texts", …

}  // namespace waybill::config
