#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <string>

namespace waybill::plugins {

// A manifest of YAML or JSON as the value that kubectl would send. InvalidArgument: `path:line:col: what is
// wrong`. Reads a file of at most 4 MiB: on the pool.
[[nodiscard]] absl::StatusOr<boost::json::object> read_template(const std::string& path);
[[nodiscard]] absl::StatusOr<boost::json::object> parse_template(const std::string& text,
                                                                 const std::string& path);

// Lays `over` over `into`: objects member by member, everything else is replaced, null removes.
void merge_json(boost::json::object& into, const boost::json::object& over);

}  // namespace waybill::plugins
