#pragma once

#include <string>
#include <string_view>

namespace waybill::rest {

// Whether an Accept-Encoding header takes gzip ("gzip;q=0" does not).
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);
// The text in gzip's form; "" if zlib fails.
[[nodiscard]] std::string gzipped(std::string_view text);

}  // namespace waybill::rest
