#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waybill::cli {

// The word that `typed` was probably meant to be; "" if none is near (a third of its letters wrong, at most).
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& words);

}  // namespace waybill::cli
