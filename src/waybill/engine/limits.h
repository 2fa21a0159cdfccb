#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <string>
#include <vector>

#include "waybill/engine/engine.h"

// Limits that submits and catalog entries share. InvalidArgument names the member, its size and the limit.
namespace waybill::engine {

[[nodiscard]] absl::Status check_text(const char* member, const std::string& text, std::size_t limit);
// Lists of tags and criteria: limits.tags entries of limits.tag_bytes.
[[nodiscard]] absl::Status check_words(const char* member, const std::vector<std::string>& words,
                                       const EngineOptions& options);
[[nodiscard]] absl::Status check_runs(absl::Duration timeout, int max_attempts);

}  // namespace waybill::engine
