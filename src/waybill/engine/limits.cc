#include "waybill/engine/limits.h"

#include <fmt/format.h>

#include "waybill/base/status.h"
#include "waybill/domain/job.h"
#include "waybill/domain/job_limits.h"

namespace waybill::engine {

absl::Status check_text(const char* member, const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return absl::OkStatus();
  return invalid(fmt::format("{} is {} bytes long: at most {} are allowed", member, text.size(), limit));
}

absl::Status check_words(const char* member, const std::vector<std::string>& words,
                         const EngineOptions& options) {
  if (words.size() > options.max_tags && domain::sorted_unique(words).size() > options.max_tags) {
    return invalid(
        fmt::format("{} has {} entries: at most {} are allowed", member, words.size(), options.max_tags));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string one = fmt::format("{}[{}]", member, i);
    WB_TRY(check_text(one.c_str(), words[i], options.tag_bytes));
  }
  return absl::OkStatus();
}

absl::Status check_runs(absl::Duration timeout, int max_attempts) {
  if (timeout < absl::ZeroDuration()) return invalid("timeout_seconds is negative: 0 means none");
  if (timeout > absl::Seconds(domain::kLongestTimeout)) {
    return invalid(fmt::format("timeout_seconds is {}: it must be at most {}", absl::ToDoubleSeconds(timeout),
                               domain::kLongestTimeout));
  }
  if (max_attempts >= 1 && max_attempts <= domain::kMostAttempts) return absl::OkStatus();
  return invalid(fmt::format("max_attempts is {}: it must be 1 to {}", max_attempts, domain::kMostAttempts));
}

}  // namespace waybill::engine
