#pragma once

#include <string>
#include <string_view>

namespace waybill::storage {

// A LIKE pattern ('%' any text, '_' one character, '\' makes the next one literal), by what an index can do
// for it.
struct LikePattern {
  enum class Kind {
    kAny,      // "%": no condition
    kExact,    // `low` is the whole text
    kPrefix,   // texts from `low` up to, not including, `high`
    kGeneral,  // begins with a wildcard, or has no upper end
  };
  Kind kind = Kind::kGeneral;
  bool whole =
      false;  // kPrefix: the range is all that is asked; otherwise `pattern` is to be checked as well
  std::string low, high;
  std::string pattern;  // for LIKE … ESCAPE '\'; never ends in a lone '\'
};

[[nodiscard]] LikePattern parse_like(std::string_view pattern);

// The least text (by bytes of UTF-8) above all that begin with `prefix`; "" if there is none.
[[nodiscard]] std::string after_prefix(std::string prefix);

}  // namespace waybill::storage
