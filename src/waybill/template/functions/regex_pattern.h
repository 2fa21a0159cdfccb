#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace waybill::gotemplate::functions {

struct RegexPattern {
  std::shared_ptr<const re2::RE2> regex;  // null: see `mistake`
  std::vector<std::string> names;         // of the groups, by number; "" for one without a name
  std::string mistake;                    // as Go says it: "missing closing ]: `[a`"
};

// Compiles a pattern of Go's syntax.
[[nodiscard]] RegexPattern compile_pattern(std::string_view source);

}  // namespace waybill::gotemplate::functions
