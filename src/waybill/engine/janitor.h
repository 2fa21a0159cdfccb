#pragma once

#include "waybill/base/ids.h"
#include "waybill/base/task.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

struct EngineParts;

// Removes what is old: the row of a job first, which leaves a tombstone, its files second; so a crash between
// leaves files that the tombstone, or the sweep for files without a row, still finds. Idempotent: several
// instances may do it at the same time.
class Janitor {
 public:
  explicit Janitor(EngineParts& parts);

  Task<void> run();    // once a minute until the engine stops
  Task<void> clean();  // everything once
  void stop() { wake_.notify(); }

 private:
  Task<void> expire_jobs();
  Task<void> bury();
  Task<bool> remove_files(JobId id);
  Task<void> sweep_orphans();

  EngineParts& parts_;
  Wakeup wake_;
};

}  // namespace waybill::engine
