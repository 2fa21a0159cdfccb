#pragma once

#include <string>
#include <string_view>

namespace waybill {

// Lower-case hex of MD5: names that others made with it and that we must make again, never a protection.
[[nodiscard]] std::string md5_hex(std::string_view bytes);

}  // namespace waybill
