#pragma once

#include <absl/time/time.h>

#include "waybill/base/task.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

struct EngineParts;

// Takes waiting jobs in batches: at once when the change feed says that there are some or when a place
// becomes free, else when the next one is due or the poll says so. Holds no more than this instance can start
// soon.
class Claimer {
 public:
  explicit Claimer(EngineParts& parts);

  void jobs_waiting() { wake_.notify(); }
  void place_free();
  void stop() { wake_.notify(); }
  Task<void> run();

 private:
  enum class Found { kNone, kSome, kFull, kError };
  Task<Found> claim_some();
  Task<absl::Duration> until_next();
  [[nodiscard]] int remote_places();

  EngineParts& parts_;
  Wakeup wake_;
  bool there_may_be_more_ = false;
  int batch_ = 0;  // remote jobs to claim at once: grows while they start as fast as they come
  absl::Duration error_wait_;
};

}  // namespace waybill::engine
