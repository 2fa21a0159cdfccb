#pragma once

#include <absl/time/time.h>

#include <memory>

#include "waybill/domain/attribute.h"
#include "waybill/domain/job.h"
#include "waybill/engine/plans.h"
#include "waybill/ports/executor.h"

namespace waybill::engine {

// Which bound a job counts against.
enum class Place { kHostLocal, kRemote, kSync };

// A job that this instance leases: a few fields, no thread and no coroutine while nothing happens.
struct LiveJob {
  domain::Job job;  // as last read or written
  Place place = Place::kRemote;
  bool adopted = false;  // taken over with its history: a start of this attempt may have been called before
  std::shared_ptr<const Plan> plan;                  // once it was needed
  std::shared_ptr<const ports::JobRequest> request;  // once it was needed, of this attempt
  domain::ExecutorHandle run;                        // of the run that we started or follow
  domain::Outputs outputs;                           // as last observed
  bool observed = false;                             // whether they were, since it was adopted

  bool busy = false;            // a coroutine works on it
  bool again = false;           // and shall look once more when it has ended
  bool stale = false;           // the row may have been changed by others
  bool gone = false;            // no longer ours to follow
  bool start_called = false;    // start() was called, or is about to be: from here on a run may exist
  bool cancel_pending = false;  // a cancel is being written: must not be started before that is decided
  bool telling_cancel = false;  // a cancel call is in progress
  bool timed_out = false;       // its time is up: being ended
  bool has_slot = false;        // holds one of the places for start calls
  bool queued = false;          // waits for such a place
  int start_tries = 0;          // calls whose outcome nobody knows
  int changes = 0;              // counts what others wrote to `job`
  absl::Duration interval;      // until the next look
  absl::Time due = absl::InfiniteFuture();
};
using LiveJobPtr = std::shared_ptr<LiveJob>;

}  // namespace waybill::engine
