#pragma once

#include <string>
#include <string_view>

namespace waybill::domain {

// The label `caraml.dev/hash` of the runs of a feature table: tells tables apart whose names a label cuts.
[[nodiscard]] std::string feature_table_hash(std::string_view project, std::string_view table);

}  // namespace waybill::domain
