#pragma once

#include <string_view>

#include "waybill/template/value.h"

// The fields of the two structs that templates see, in the order in which they print.
namespace waybill::gotemplate {

constexpr int kRootFields = 4;
constexpr int kJobFields = 23;

// The number of a field by its name, or -1.
[[nodiscard]] int find_root_field(std::string_view name);
[[nodiscard]] int find_job_field(std::string_view name);

[[nodiscard]] int field_count(const Value& object);
[[nodiscard]] std::string_view field_name(const Value& object, int field);
// A field of a kJob or kRoot. Its static type is its own, so it is never boxed.
[[nodiscard]] Value field_value(const Value& object, int field);

}  // namespace waybill::gotemplate
