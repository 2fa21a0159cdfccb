#pragma once

#include <span>
#include <string>

#include "waybill/storage/session.h"

namespace waybill::storage {

// The values as PostgreSQL reads an array: {1,"a \"b\"",NULL}.
[[nodiscard]] std::string to_array_text(std::span<const Value* const> values);

}  // namespace waybill::storage
