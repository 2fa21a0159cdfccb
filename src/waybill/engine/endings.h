#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <memory>

#include "waybill/base/task.h"
#include "waybill/domain/job.h"
#include "waybill/domain/result_table.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

struct EngineParts;

// How a job ended, for those who wait for it.
struct Ending {
  domain::Job job;
  std::shared_ptr<const domain::ResultTable> result;  // nullptr: none
};

// Callers of synchronous jobs wait here; the runner tells. A job that another instance runs, or takes over,
// is looked up from time to time and when there is an event of it.
class Endings {
 public:
  explicit Endings(EngineParts& parts) : parts_(parts) {}

  void tell(const Ending& ending);
  // Something was written about it, here or elsewhere; empty: about many.
  void look_at(const JobId& id);
  // Comes back with the final job. Aborted when the engine stops before.
  Task<absl::StatusOr<Ending>> wait_for(JobId id, bool may_be_final);

 private:
  struct Waiter;
  Task<absl::StatusOr<std::shared_ptr<const domain::ResultTable>>> stored_result(domain::Job job);

  EngineParts& parts_;
  std::multimap<JobId, std::weak_ptr<Waiter>> waiters_;
};

}  // namespace waybill::engine
