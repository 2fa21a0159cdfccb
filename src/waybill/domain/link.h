#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waybill::domain {

// Whether the text begins with one of the schemes and "://", in any case of letters.
[[nodiscard]] bool begins_with_scheme(std::string_view text, const std::vector<std::string>& schemes);
// How a link may begin: "http://, https:// or s3://".
[[nodiscard]] std::string link_beginnings(const std::vector<std::string>& schemes);

}  // namespace waybill::domain
