#include "waybill/domain/attribute_order.h"

#include <algorithm>
#include <tuple>

namespace waybill::domain {

std::vector<const Attributes::value_type*> in_order(const Attributes& attributes) {
  std::vector<const Attributes::value_type*> ordered;
  for (const auto& item : attributes) ordered.push_back(&item);
  std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    return std::tie(a->second.position, a->first) < std::tie(b->second.position, b->first);
  });
  return ordered;
}

}  // namespace waybill::domain
