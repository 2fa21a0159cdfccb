#include "waybill/history/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "waybill/base/time.h"

namespace waybill::history {
namespace {

using domain::RecordReason;
using domain::RecordStatus;
using domain::Run;

struct Reading {
  std::string_view state;
  RecordStatus status;
  RecordReason reason;
};

// UNKNOWN and words of other versions are not in it: they leave everything as it was.
constexpr Reading kReadings[] = {
    {"", RecordStatus::kPending, RecordReason::kSubmitted},
    {"SUBMITTED", RecordStatus::kPending, RecordReason::kSubmitted},
    {"INVALIDATING", RecordStatus::kPending, RecordReason::kSubmitted},
    {"RESUMING", RecordStatus::kPending, RecordReason::kSubmitted},
    {"SUBMISSION_FAILED", RecordStatus::kPending, RecordReason::kRetrying},
    {"PENDING_RERUN", RecordStatus::kPending, RecordReason::kRetrying},
    {"SUSPENDING", RecordStatus::kPending, RecordReason::kSuspended},
    {"SUSPENDED", RecordStatus::kPending, RecordReason::kSuspended},
    {"RUNNING", RecordStatus::kRunning, RecordReason::kRunning},
    {"SUCCEEDING", RecordStatus::kRunning, RecordReason::kRunning},
    {"FAILING", RecordStatus::kRunning, RecordReason::kRunning},
    {"COMPLETED", RecordStatus::kDone, RecordReason::kSucceeded},
    {"FAILED", RecordStatus::kError, RecordReason::kFailed},
};

const Reading* reading_of(std::string_view state) {
  const auto* found = std::find_if(std::begin(kReadings), std::end(kReadings),
                                   [&](const Reading& r) { return r.state == state; });
  return found == std::end(kReadings) ? nullptr : found;
}

bool is_new_submission(const Run& run, const Application& app) {
  if (!app.submission_id.empty()) return app.submission_id != run.submission_id;
  return app.attempt_time && app.attempt_time != run.attempt_time;
}

void take_error(Run& run, const Application& app, bool new_submission) {
  if (new_submission || app.state == "RUNNING" || app.state == "COMPLETED") run.error.clear();
  if (app.state != "RUNNING" && app.state != "COMPLETED" && !app.error.empty()) run.error = app.error;
}

void take_attempt(Run& run, const Application& app) {
  if (!app.submission_id.empty()) run.submission_id = app.submission_id;
  if (!app.attempt_time) return;
  run.attempt_time = app.attempt_time;
  if (run.start_is_attempt) return;
  run.start = *app.attempt_time;
  run.start_is_attempt = true;
}

std::string closing_text(const Run& run, RecordReason why) {
  const std::string last = fmt::format("it was last seen at {} in state {}", format_time(run.seen_at),
                                       run.state.empty() ? "NEW" : run.state);
  switch (why) {
    case RecordReason::kDeleted:
      return fmt::format("the application was deleted before it ended; {}", last);
    case RecordReason::kSuperseded:
      return fmt::format("another specification replaced this run before it ended; {}", last);
    case RecordReason::kReplaced:
      return fmt::format("another application took this one's name before it was seen to end; {}", last);
    default:
      return fmt::format("the application is gone and how it ended is not known; {}", last);
  }
}

}  // namespace

bool is_terminal(const Application& app) { return app.state == "COMPLETED" || app.state == "FAILED"; }

std::optional<absl::Time> good_termination(const Application& app) {
  if (!app.termination_time) return std::nullopt;
  if (app.attempt_time && *app.termination_time < *app.attempt_time) return std::nullopt;
  return app.termination_time;
}

void take_status(Run& run, const Application& app, absl::Time now) {
  // An executor's label may bring the id after the end; it is still this run's.
  if (!app.application_id.empty()) run.application_id = app.application_id;
  run.attempts = std::max(run.attempts, app.execution_attempts);
  if (run.has_outcome) return;
  const bool new_submission = is_new_submission(run, app);
  take_attempt(run, app);
  take_error(run, app, new_submission);
  run.state = app.state;
  run.driver_end = good_termination(app);
  run.seen_at = now;
  run.end.reset();
  const Reading* reading = reading_of(app.state);
  if (reading == nullptr) {
    // Closed once as gone, and here again with a word that says nothing: all that is known is that it is
    // there.
    if (run.status == RecordStatus::kError) {
      run.status = RecordStatus::kRunning;
      run.reason = RecordReason::kRunning;
    }
    return;
  }
  run.status = reading->status;
  run.reason = reading->reason;
  if (app.state == "FAILED" && run.attempts == 0) run.reason = RecordReason::kSubmissionFailed;
  if (!is_terminal(app)) return;
  run.has_outcome = true;
  run.end = good_termination(app).value_or(std::max(now, run.start));
}

void close(Run& run, RecordReason why, absl::Time end) {
  const bool object_is_gone = why == RecordReason::kDeleted || why == RecordReason::kLost;
  const bool well = run.state == "SUCCEEDING";
  if (object_is_gone && run.driver_end && (well || run.state == "FAILING")) {
    run.status = well ? RecordStatus::kDone : RecordStatus::kError;
    run.reason = well ? RecordReason::kSucceeded : RecordReason::kFailed;
    if (well) run.error.clear();
    run.end = run.driver_end;
    run.has_outcome = true;
    return;
  }
  run.error = closing_text(run, why);
  run.status = RecordStatus::kError;
  run.reason = why;
  run.end = std::max(end, run.start);
}

}  // namespace waybill::history
