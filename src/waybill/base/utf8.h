#pragma once

#include <string_view>

namespace waybill {

// Whether text is well-formed UTF-8 without U+0000. Needs only the standard library: the supervisor of a
// shell job uses it too.
[[nodiscard]] bool is_clean_utf8(std::string_view text);

// Whether UTF-8 text has a character that a terminal or a line would obey: C0, DEL, C1.
[[nodiscard]] bool has_control_character(std::string_view text);

}  // namespace waybill
