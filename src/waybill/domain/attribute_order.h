#pragma once

#include <vector>

#include "waybill/domain/attribute.h"

namespace waybill::domain {

// Attributes in the order of the config; points into `attributes`.
[[nodiscard]] std::vector<const Attributes::value_type*> in_order(const Attributes& attributes);

}  // namespace waybill::domain
