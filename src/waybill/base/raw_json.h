#pragma once

#include <string>
#include <string_view>
#include <vector>

// Parts of a JSON text as they were written, so that what is printed is exactly what the server said (numbers
// keep their digits, members their order). Every text here must have passed parse_json() before.
namespace waybill {

struct RawMember {
  std::string key;  // decoded
  std::string_view value;
};

// The members of an object; none where it is something else.
[[nodiscard]] std::vector<RawMember> raw_members(std::string_view object);
// The elements of an array; none where it is something else.
[[nodiscard]] std::vector<std::string_view> raw_elements(std::string_view array);
// The last member of that exact name; empty: it is not there.
[[nodiscard]] std::string_view raw_member(std::string_view object, std::string_view name);

// The same without spaces between tokens, so on one line.
[[nodiscard]] std::string on_one_line(std::string_view json);

// The same as YAML 1.2, in block style.
[[nodiscard]] std::string yaml_text(std::string_view json);

}  // namespace waybill
