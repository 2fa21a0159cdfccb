#include "waybill/storage/histogram.h"

#include <algorithm>
#include <cmath>

namespace waybill::storage {
namespace {

constexpr double kGrowth = 1.2;

}  // namespace

// Bucket 0 is all up to 1 ms, bucket n (kGrowth^(n-1), kGrowth^n] ms.
std::int64_t bucket_of(absl::Duration duration) {
  const double milliseconds = absl::ToDoubleMilliseconds(duration);
  if (milliseconds <= 1) return 0;
  // The subtraction keeps an exact border from being lifted by rounding.
  return std::max(std::int64_t{1},
                  static_cast<std::int64_t>(std::ceil(std::log(milliseconds) / std::log(kGrowth) - 1e-9)));
}

absl::Duration middle_of(std::int64_t bucket) {
  if (bucket <= 0) return absl::Milliseconds(1);
  return absl::Milliseconds(std::pow(kGrowth, static_cast<double>(bucket) - 0.5));
}

std::optional<absl::Duration> quantile(const std::map<std::int64_t, std::int64_t>& counts, double part) {
  std::int64_t all = 0;
  for (const auto& [bucket, count] : counts) all += bucket == kNoDuration ? 0 : count;
  if (all == 0) return std::nullopt;
  const auto wanted =
      std::max(std::int64_t{1}, static_cast<std::int64_t>(std::ceil(part * static_cast<double>(all))));
  std::int64_t seen = 0;
  for (const auto& [bucket, count] : counts) {
    if (bucket == kNoDuration) continue;
    seen += count;
    if (seen >= wanted) return middle_of(bucket);
  }
  return std::nullopt;
}

}  // namespace waybill::storage
