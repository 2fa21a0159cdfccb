#pragma once

#include <string>

namespace waybill {

// This machine's name; "localhost" if it has none.
[[nodiscard]] std::string host_name();

}  // namespace waybill
