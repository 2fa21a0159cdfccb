#pragma once

#include <string>

#include "waybill/ports/executor.h"

// How executors declare the keys of their contexts.
namespace waybill::plugins {

// Bits of ContextKey::levels.
inline constexpr auto kCommandLevel = static_cast<unsigned>(ports::ContextLevel::kCommand);
inline constexpr auto kClusterLevel = static_cast<unsigned>(ports::ContextLevel::kCluster);
inline constexpr auto kJobLevel = static_cast<unsigned>(ports::ContextLevel::kJob);
inline constexpr auto kCatalogLevels = kCommandLevel | kClusterLevel;

[[nodiscard]] ports::ContextKey context_key(std::string name, ports::ContextType type, unsigned levels,
                                            std::string what, std::string example);

}  // namespace waybill::plugins
