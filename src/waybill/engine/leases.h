#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/job.h"
#include "waybill/engine/wakeup.h"
#include "waybill/ports/job_store.h"

namespace waybill::engine {

struct EngineParts;

// This instance's heartbeat, and what it takes over: its own jobs after a restart, those of instances that
// are no longer heard of.
class Leases {
 public:
  explicit Leases(EngineParts& parts);

  // The first heartbeat, unless other instances work with other directories.
  Task<absl::Status> join();
  Task<absl::Status> beat();       // renews the lease
  Task<void> leave();              // the last heartbeat: it works with no directory any more
  Task<absl::Status> adopt_own();  // after a start
  Task<void> run();                // heartbeats and takeovers until the engine stops
  void stop() { wake_.notify(); }
  void look_for_cancels_soon();
  // Something was leased in the store, perhaps, without our hearing of it: looks for it at the next
  // heartbeat.
  void there_may_be_strays() { next_strays_ = absl::InfinitePast(); }

 private:
  [[nodiscard]] ports::Instance self() const;
  Task<absl::Status> check_directories();
  Task<void> take_over_orphans();
  Task<void> give_up_lost_hosts();
  Task<void> look_for_cancels();
  Task<void> adopt_strays();
  Task<void> adopt(std::vector<domain::Job> jobs);
  Task<absl::Status> adopt_one(domain::Job job);
  Task<absl::Status> give_up(domain::Job job);

  EngineParts& parts_;
  Wakeup wake_;
  absl::Time next_lost_hosts_ = absl::InfinitePast();
  absl::Time next_strays_ = absl::InfiniteFuture();
};

}  // namespace waybill::engine
