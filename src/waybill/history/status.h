#pragma once

#include <absl/time/time.h>

#include "waybill/domain/record.h"
#include "waybill/history/application.h"

namespace waybill::history {

// Only COMPLETED and FAILED: what the operator itself takes for an end.
[[nodiscard]] bool is_terminal(const Application& app);

// The operator's time of the end, if it is to be believed: not before the last attempt to submit.
[[nodiscard]] std::optional<absl::Time> good_termination(const Application& app);

// Takes a status that is this run's own: R7, R8, R9. A run with an outcome keeps it.
void take_status(domain::Run& run, const Application& app, absl::Time now);

// Closes an open run that no outcome came for: R10. A driver that was seen to end well or badly counts as
// that where the object is gone (Deleted, Lost); all else is an error with a text of ours. `end` is never
// before the start.
void close(domain::Run& run, domain::RecordReason why, absl::Time end);

}  // namespace waybill::history
