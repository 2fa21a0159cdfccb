#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "waybill/base/task.h"
#include "waybill/domain/job_state.h"
#include "waybill/engine/decide.h"
#include "waybill/engine/job_writer.h"
#include "waybill/engine/live_job.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

struct EngineParts;

// Follows the jobs that this instance leases, from their start to their end. Whatever happens to a job only
// asks to look at it (poke); a look finds out what is the case and does the next step. io thread only.
// runner.cc: the table and the looks; run_start.cc, run_follow.cc, run_end.cc: the steps.
class Runner {
 public:
  explicit Runner(EngineParts& parts);

  // A job that was just leased: ACCEPTED by a claim, or taken over in any live state, or ACCEPTED as a
  // synchronous one for which reserve_sync() holds a place.
  enum class Took { kClaimed, kAdopted, kReserved };
  void take(domain::Job job, Took how);
  // Look at the job as soon as may be.
  void poke(const JobId& id);
  // An executor's hint: poke, and look at it often again.
  void nudge(const JobId& id);
  // Somebody else wrote the job; `job` is the row after that.
  void changed(const domain::Job& job);
  // Somebody, perhaps elsewhere, asked for its cancel: reads the row and tells the executor at once.
  void cancel_noticed(const JobId& id);
  [[nodiscard]] LiveJobPtr find(const JobId& id) const;

  // Looks at jobs when their time has come, until the engine stops.
  Task<void> run_timers();
  void stop() { timer_changed_.notify(); }
  // After the lease was renewed late: what others took over meanwhile must not be started here.
  void all_may_be_stale();

  [[nodiscard]] int count(Place place) const;
  [[nodiscard]] int total() const { return static_cast<int>(jobs_.size()); }
  void fill_start_slots();  // after pool.size was raised
  [[nodiscard]] int waiting_for_start() const { return static_cast<int>(waiting_.size()); }
  [[nodiscard]] int starts() const { return start_calls_; }

  // A synchronous job's place, held from before its insert.
  [[nodiscard]] bool reserve_sync();
  void give_back_sync();

 private:
  Task<void> work(LiveJobPtr live);
  Task<void> look(LiveJobPtr live);
  Task<absl::Status> prepare(LiveJobPtr live);  // plan and request
  [[nodiscard]] int& places(Place place);
  void schedule(const LiveJobPtr& live);
  void unschedule(const LiveJobPtr& live);
  void retire(LiveJobPtr live);
  void remove(const LiveJobPtr& live);
  void act_on_cancel(const LiveJobPtr& live);

  // run_start.cc
  Task<void> start(LiveJobPtr live);
  Task<void> call_start(LiveJobPtr live);
  Task<void> record_start(LiveJobPtr live, ports::StartResult started);
  Task<void> start_failed(LiveJobPtr live, absl::Status why);
  [[nodiscard]] bool take_start_slot(const LiveJobPtr& live);
  void give_start_slot(const LiveJobPtr& live);
  [[nodiscard]] bool is_removed(const domain::JobRoute& route) const;

  // run_follow.cc
  Task<void> follow(LiveJobPtr live);
  Task<void> follow_without_handle(LiveJobPtr live);
  Task<void> tell_cancel(LiveJobPtr live);
  Task<void> note_outputs(LiveJobPtr live, domain::Outputs outputs);
  Task<void> refresh_and_cancel(LiveJobPtr live);
  [[nodiscard]] bool time_is_up(const LiveJob& live) const;

  // run_end.cc
  // Brings the job to what follows from `seen`; `handle`: of a start that brought the end with it.
  Task<void> end(LiveJobPtr live, ports::Observation seen, std::optional<domain::ExecutorHandle> handle);
  // A decision that no executor has a part in.
  Task<void> end_with(LiveJobPtr live, domain::JobChange change);
  void settled(const LiveJobPtr& live, std::shared_ptr<const domain::ResultTable> result);
  Task<std::optional<boost::json::value>> keep_result(LiveJobPtr live,
                                                      std::shared_ptr<const domain::ResultTable> result);
  Task<Extras> extras_for(LiveJobPtr live, domain::JobState next);
  Task<void> clean_up(LiveJobPtr live);
  void abandon(const LiveJobPtr& live);
  Task<void> end_run(LiveJobPtr live);
  [[nodiscard]] Circumstances circumstances(const LiveJob& live) const;

  EngineParts& parts_;
  JobWriter writer_;
  std::map<JobId, LiveJobPtr> jobs_;
  std::set<std::pair<absl::Time, JobId>> timers_;
  Wakeup timer_changed_;
  std::deque<LiveJobPtr> waiting_;  // for a place to start
  int slots_taken_ = 0;
  int start_calls_ = 0;
  int host_local_ = 0, remote_ = 0, sync_ = 0;
};

}  // namespace waybill::engine
