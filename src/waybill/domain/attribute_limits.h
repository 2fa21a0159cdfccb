#pragma once

#include <cstddef>

namespace waybill::domain {

// What one command or cluster may have.
inline constexpr std::size_t kMostAttributes = 100;
inline constexpr std::size_t kMostTemplateBytes = 16 * 1024;

}  // namespace waybill::domain
