#pragma once

#include <absl/time/time.h>

#include "waybill/base/task.h"

namespace waybill::ports {

// Time as the engine sees it. Tests stand it still and move it by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual absl::Time now() const = 0;  // thread-safe
  // Comes back after `duration`; with an operation_aborted exception never: a cancelled sleep returns early.
  virtual Task<void> sleep(absl::Duration duration) = 0;
};

}  // namespace waybill::ports
