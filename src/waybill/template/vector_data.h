#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "waybill/template/template.h"

// Data for templates as JSON. A number written with `.`, `e` or `E` is a float64, any other an integer. What
// JSON can't hold is an object of one member: {"$b64": "…"} for a string that is not UTF-8, {"$float":
// "NaN|+Inf|-Inf"},
// {"$uint64": "…"}.
namespace waybill::gotemplate {

// {"Job": {…}, "Command": {…}, "Cluster": {…}, "Outputs": {…}}: what is left out is empty or zero. Job's
// members have the names of its fields. An error says which member is wrong.
[[nodiscard]] absl::StatusOr<Data> data_from_json(std::string_view text);

// The same from a value already parsed by parse_vector_json().
[[nodiscard]] absl::StatusOr<Data> data_from_value(const boost::json::value& value);

// Parses a line of vectors or data.
[[nodiscard]] absl::StatusOr<boost::json::value> parse_vector_json(std::string_view text);

// A string, or {"$b64": "…"}; nothing else.
[[nodiscard]] absl::StatusOr<std::string> text_of(const boost::json::value& value);

}  // namespace waybill::gotemplate
