#include "waybill/domain/link.h"

#include <absl/strings/match.h>

#include <algorithm>
#include <cstddef>

namespace waybill::domain {

bool begins_with_scheme(std::string_view text, const std::vector<std::string>& schemes) {
  return std::any_of(schemes.begin(), schemes.end(), [&](const std::string& scheme) {
    const std::string start = scheme + "://";
    return text.size() >= start.size() &&
           absl::EqualsIgnoreCase(std::string(text.substr(0, start.size())), start);
  });
}

std::string link_beginnings(const std::vector<std::string>& schemes) {
  std::string text;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (i > 0) text += i + 1 < schemes.size() ? ", " : " or ";
    text += schemes[i] + "://";
  }
  return text;
}

}  // namespace waybill::domain
