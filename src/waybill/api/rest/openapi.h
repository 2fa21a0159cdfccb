#pragma once

#include <string_view>

namespace waybill::rest {

// openapi/openapi.json, as it was when the program was built.
[[nodiscard]] std::string_view openapi_document();

}  // namespace waybill::rest
