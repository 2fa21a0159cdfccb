#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <map>
#include <optional>

// Durations counted in buckets that grow by a fifth, so that a bucket's middle is within 10 % of all in it.
namespace waybill::storage {

inline constexpr std::int64_t kNoDuration = -1;  // the bucket of a job that never started

[[nodiscard]] std::int64_t bucket_of(absl::Duration duration);
[[nodiscard]] absl::Duration middle_of(std::int64_t bucket);

// The duration that `part` (0 … 1) of those counted don't exceed; nullopt if nothing was counted. Bucket ->
// count; kNoDuration is left out.
[[nodiscard]] std::optional<absl::Duration> quantile(const std::map<std::int64_t, std::int64_t>& counts,
                                                     double part);

}  // namespace waybill::storage
