#pragma once

#include <memory>
#include <string_view>

#include "waybill/template/tree.h"

namespace waybill::gotemplate {

// Parses a template's text as Go's text/template/parse does. On a mistake returns null and fills `mistake`
// with Go's message. Parentheses and blocks may nest 400 deep.
[[nodiscard]] std::unique_ptr<const Tree> parse_tree(std::string_view name, std::string_view text,
                                                     ParseError& mistake);

}  // namespace waybill::gotemplate
