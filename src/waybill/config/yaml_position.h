#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "waybill/config/yaml_tree.h"

namespace waybill::config {

// Where the byte `offset` of a scalar's value stands in the file, line and column from 1. Exact for scalars
// on one line and for literal blocks; of others, where YAML folds blanks, exact for what is no blank.
[[nodiscard]] std::pair<int, int> place_in_scalar(std::string_view source, const YamlNode& scalar,
                                                  std::size_t offset);

// False for a quoted scalar whose quote never ends: yaml-cpp takes the end of the file for one.
[[nodiscard]] bool is_closed_scalar(std::string_view source, const YamlNode& scalar);

}  // namespace waybill::config
