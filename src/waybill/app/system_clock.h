#pragma once

#include "waybill/ports/clock.h"

namespace waybill::app {

// The machine's own time.
class SystemClock : public ports::Clock {
 public:
  [[nodiscard]] absl::Time now() const override;
  Task<void> sleep(absl::Duration duration) override;
};

}  // namespace waybill::app
