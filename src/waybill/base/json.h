#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "waybill/base/utf8.h"

namespace waybill {

struct JsonLimits {
  std::size_t depth = 32;  // nested arrays and objects
};

// One JSON document of UTF-8 without U+0000 in any string. The last of doubled members wins. An error says
// line and column (from 1) and what was expected.
[[nodiscard]] absl::StatusOr<boost::json::value> parse_json(std::string_view text, JsonLimits limits = {});

// A stable text: members sorted by bytes at every level, no space. For hashes and comparisons.
[[nodiscard]] std::string canonical_json(const boost::json::value& value);

// A member by its name in any case (exact first, then the last that matches), or nullptr.
[[nodiscard]] const boost::json::value* find_member(const boost::json::object& object, std::string_view name);

// Lower-case hex of SHA-256.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
// Lower-case hex of HMAC-SHA256: who has not the key can't find out what was hashed by trying.
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

}  // namespace waybill
