#pragma once

#include <boost/json/value.hpp>
#include <optional>

#include "waybill/base/task.h"
#include "waybill/domain/attribute.h"
#include "waybill/domain/job.h"
#include "waybill/engine/live_job.h"

namespace waybill::engine {

struct EngineParts;

enum class Written {
  kWritten,  // `live.job` is the job as stored
  kChanged,  // another write came first; `live.job` is what it made: decide anew
  kLost,     // the lease is another instance's now, or the row has gone
  kStopped,  // the engine stops and the store is away: after the next start it will be found as it was
};

// What is stored together with a state.
struct Extras {
  std::optional<domain::Attributes> attributes;
  std::optional<domain::AttributeErrors> attribute_errors;
  std::optional<domain::Outputs> kept_outputs;
  std::optional<boost::json::value> result_info;
};

// Writes what became of a leased job by compare-and-set. While the database is away it keeps trying, so that
// a job that went on meanwhile is recorded when the database returns.
class JobWriter {
 public:
  explicit JobWriter(EngineParts& parts) : parts_(parts) {}

  Task<Written> commit(LiveJobPtr live, domain::JobState next, Extras extras);
  // Reads the row again: kChanged, kLost or kStopped.
  Task<Written> read_again(LiveJobPtr live);

 private:
  Task<bool> wait_for_store(absl::Duration& wait, absl::Status why, JobId id);

  EngineParts& parts_;
};

}  // namespace waybill::engine
