#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "waybill/kube/api_error.h"
#include "waybill/kube/reflector.h"

namespace waybill::kube {

// How long a reflector waits, and for how long it asks to watch.
class Backoff {
 public:
  Backoff(const ReflectorTimes& times, std::uint64_t seed)
      : times_(times), random_(seed), most_(times.backoff_first) {}

  // After a failure: anything up to a bound that doubles.
  absl::Duration next() {
    const absl::Duration wait = part() * most_;
    most_ = std::min(most_ * 2, times_.backoff_most);
    return wait;
  }
  void reset() { most_ = times_.backoff_first; }

  // What a busy server asks for, and up to half of it more, so that not all come back at once.
  absl::Duration throttled(const absl::Status& status) {
    const auto error = api_error(status);
    const absl::Duration asked = error && error->retry_after ? *error->retry_after : times_.throttled;
    const absl::Duration least = std::max(asked, times_.throttled);
    return least * (1 + part() / 2);
  }

  absl::Duration watch_timeout() {
    return absl::Seconds(
        absl::ToInt64Seconds(times_.watch_least + part() * (times_.watch_most - times_.watch_least)));
  }

 private:
  double part() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  const ReflectorTimes& times_;
  std::mt19937_64 random_;
  absl::Duration most_;
};

// 429 and 503: the server is there and too busy.
[[nodiscard]] inline bool is_throttled(const absl::Status& status) {
  const auto error = api_error(status);
  return error && (error->http == 429 || error->http == 503);
}

}  // namespace waybill::kube
