#pragma once

#include <optional>
#include <vector>

#include "waybill/template/tree.h"

namespace waybill::gotemplate {

// What Go would find only when the template runs, though its text already shows it: a namespace or field of
// the job that does not exist, a complex literal, and, where the place is certainly reached, an undefined
// template or an assignment to an undeclared variable. The first such mistake, or nothing.
[[nodiscard]] std::optional<ParseError> find_mistake(const Tree& tree);

// The keys of .Command and .Cluster that the main template names.
[[nodiscard]] std::vector<Template::Reference> find_references(const Tree& tree);

}  // namespace waybill::gotemplate
