#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <optional>
#include <string>

#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_store.h"

namespace waybill::history {

struct UpkeepOptions {
  absl::Duration unwatched_after = absl::Minutes(2);  // a watch not heard of for so long does not see
  absl::Duration close_after = absl::Hours(24);       // history_unwatched_close_hours
  std::optional<std::string> only_cluster = {};       // what waits is looked at in this one alone
};

// What time alone does to records: a change that the operator does not take says so (R6), a run that nothing
// can watch any more says since when and is closed in the end (R12). Of all clusters, whoever watches them;
// two instances that do it at once are harmless (R17). io thread only.
class Upkeep {
 public:
  Upkeep(ports::RecordStore& records, const ports::Clock& clock, UpkeepOptions options)
      : records_(records), clock_(clock), options_(std::move(options)) {}

  Task<absl::Status> note_waiting();
  Task<absl::Status> note_unwatched();
  Task<absl::Status> close_unwatched();

 private:
  enum class Change { kWaiting, kLost };
  Task<absl::Status> change(std::vector<domain::KnownObject> objects, Change how);

  ports::RecordStore& records_;
  const ports::Clock& clock_;
  UpkeepOptions options_;
};

}  // namespace waybill::history
