#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace waybill::cli {

struct TomlValue {
  std::variant<std::string, bool, std::int64_t> value;
  int line = 0;  // from 1
  int column = 0;
};

using TomlTable = std::map<std::string, TomlValue>;
// By the table's whole name ("profiles.prod"); "" is what stands before the first one.
using TomlDocument = std::map<std::string, TomlTable>;

// The part of TOML 1.0 that config.toml is written in: tables, bare and quoted keys, basic and literal
// strings, booleans, integers, comments. Everything else (arrays, inline tables, dotted keys, dates, floats)
// is an error, as are doubled keys and tables. Errors: "LINE:COLUMN: what is wrong".
[[nodiscard]] absl::StatusOr<TomlDocument> parse_toml(std::string_view text);

}  // namespace waybill::cli
