#pragma once

#include <absl/time/time.h>

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

// Members of the API's objects. A member that is missing or of another type reads as empty: what a newer or
// broken server says is shown as far as it makes sense.
namespace waybill::cli {

// Strings as they are, numbers and booleans as JSON; "" otherwise.
[[nodiscard]] std::string text_of(const boost::json::object& object, std::string_view name);
// A list of strings, joined by ", ".
[[nodiscard]] std::string list_of(const boost::json::object& object, std::string_view name);
[[nodiscard]] std::optional<double> number_of(const boost::json::object& object, std::string_view name);
[[nodiscard]] bool bool_of(const boost::json::object& object, std::string_view name);
// Unix seconds or RFC 3339.
[[nodiscard]] std::optional<absl::Time> time_of(const boost::json::object& object, std::string_view name);
// An object's member that is an object; nullptr: there is none.
[[nodiscard]] const boost::json::object* object_of(const boost::json::object& object, std::string_view name);
// Its rows: the member `data`, or the value itself if it is an array; nullptr: neither.
[[nodiscard]] const boost::json::array* rows_of(const boost::json::value& answer);

// Tags without those that the system gives (`_id:…`).
[[nodiscard]] std::string own_tags_of(const boost::json::object& object);

[[nodiscard]] bool is_final_status(std::string_view status);

}  // namespace waybill::cli
