#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

// JSON texts that print numbers as Go's encoding/json does, for members whose numbers clients compare byte
// for byte with what Heimdall answers.
namespace waybill {

// Appends a number as Go prints a float64: 1, 0.5, 1e+21, 1e-7. `number` must be finite.
void append_go_number(double number, std::string& out);

// Appends text as a JSON string. Clean UTF-8 stays as it is (Go's escapes of <, > and & are optional in
// JSON).
void append_json_string(std::string_view text, std::string& out);

// Appends the value; every number counts as a float64. Members in the order they have.
void append_go_json(const boost::json::value& value, std::string& out);
[[nodiscard]] std::string go_json(const boost::json::value& value);

// Makes every number what a float64 of the same text would be: integers up to 2^53 stay integers, whole
// doubles become integers, the rest is rounded to a double. So equal requests have equal canonical texts.
void as_go_numbers(boost::json::value& value);

}  // namespace waybill
