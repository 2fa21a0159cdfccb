#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::config {

// What a scalar of a YAML file is: null, bool, int64, uint64, double or string, decided as Go's yaml.v3 does
// (YAML 1.2 with the octals of 1.1), because that is what Heimdall's users have seen in their templates. Two
// differences: an unquoted date stays the string that was written, and yes/no are strings here as there.
// `tag` is the resolved one ("tag:yaml.org,2002:int"), "?" for a plain scalar without a tag and "!" for a
// quoted one. nullopt: the text isn't what its tag says.
[[nodiscard]] std::optional<boost::json::value> resolve_scalar(std::string_view tag, std::string_view text);

}  // namespace waybill::config
