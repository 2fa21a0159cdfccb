#pragma once

#include <string>
#include <string_view>

namespace waybill {

// Appends the text as a JSON string, quotes and all.
void append_json_text(std::string_view text, std::string& out);

}  // namespace waybill
