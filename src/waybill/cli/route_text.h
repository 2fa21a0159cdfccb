#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace waybill::cli {

// What nearly matched, a line each ("spark-3 with prod-eu lacks type:gpu"), from an answer of POST /route or
// an error "no_route"; "" where it says nothing.
[[nodiscard]] std::string near_misses_text(const boost::json::object& answer);

}  // namespace waybill::cli
