#include "waybill/history/rules.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "waybill/history/arguments.h"
#include "waybill/history/status.h"

namespace waybill::history {
namespace {

using domain::Record;
using domain::RecordReason;
using domain::Run;

constexpr std::string_view kRecordId = "caraml.dev/record-id";
constexpr std::string_view kSchedule = "sparkoperator.k8s.io/scheduled-app-name";

std::string label(const Application& app, std::string_view key) {
  const auto found = app.labels.find(std::string(key));
  return found == app.labels.end() ? std::string() : found->second;
}

// What the labels and arguments say of a run; a change of them before its outcome counts for it.
void take_meta(Record& record, const Application& app) {
  Run& run = record.run;
  run.project = label(app, "caraml.dev/project");
  run.type_word = label(app, "caraml.dev/type");
  run.hash = label(app, "caraml.dev/hash");
  run.table = feature_table_name(app.arguments);
  if (run.table.empty()) run.table = label(app, "caraml.dev/table");
  record.output_location = output_location(app.arguments);
  record.feature_refs = feature_references(app.arguments);
}

// What a run is told from and shown with, until it has an outcome.
void take_manifest(Record& record, const Application& app) { record.manifest = app.manifest_hash; }

void take_window(Run& run, const Application& app) {
  run.window = data_window(app.arguments, run.attempt_time.value_or(run.start));
}

Record& open_run(KnownObject& known, const Application& app, absl::Time start, absl::Time now) {
  Record record;
  Run& run = record.run;
  run.cluster = known.cluster;
  run.uid = known.uid;
  run.number = known.records.empty() ? 1 : known.newest().number + 1;
  run.name_space = app.name_space;
  run.name = app.name;
  run.start = start;
  run.opened_at = now;
  run.seen_at = now;
  take_meta(record, app);
  take_manifest(record, app);
  known.records.push_back(std::move(record));
  return known.records.back();
}

// R6: whether the status is no longer that of a run before this one.
bool is_another_runs(const KnownObject& known, const Application& app) {
  if (!app.submission_id.empty()) return app.submission_id != known.submission_id;
  return app.attempt_time && (!known.attempt_time || *app.attempt_time > *known.attempt_time);
}

bool had_submission_or_end(const Run& run) {
  return run.end || !run.submission_id.empty() || run.attempt_time.has_value();
}

// R5 (a): the specification is another one.
bool is_new_specification(const KnownObject& known, const Application& app) {
  if (app.deletion || app.spec_hash == known.spec_hash) return false;
  return had_submission_or_end(known.newest()) || wanted_record_id(app) != known.record_id;
}

// R5 (b): the same specification was submitted again after an outcome.
bool is_new_submission_after_outcome(const KnownObject& known, const Application& app) {
  const Run& newest = known.newest();
  return newest.has_outcome && !app.submission_id.empty() && app.submission_id != known.submission_id;
}

// A run before the newest that was closed, or is about to be, while its own end was still on the way.
void take_late_outcome(Run& run, const Application& app, absl::Time now) {
  const bool its_own = !app.submission_id.empty() && app.submission_id == run.submission_id;
  if (!run.has_outcome && its_own && is_terminal(app)) take_status(run, app, now);
}

void open_next_run(KnownObject& known, const Application& app, absl::Time now) {
  Run& old = known.newest();
  take_late_outcome(old, app, now);
  if (old.is_open()) close(old, RecordReason::kSuperseded, now);
  Run& run = open_run(known, app, now, now).run;
  run.awaits_status = true;
  take_window(run, app);
}

void take_driver(Record& record, const Application& app) {
  if (!app.driver_pod.empty()) record.driver_pod = app.driver_pod;
  if (!app.web_ui_address.empty()) record.web_ui_address = app.web_ui_address;
}

void take_event_status(KnownObject& known, const Application& app, absl::Time now) {
  Record& record = known.records.back();
  Run& run = record.run;
  if (run.forgotten) return;
  if (run.awaits_status && !is_another_runs(known, app)) {
    for (Record& earlier : known.records) {
      if (&earlier != &record) take_late_outcome(earlier.run, app, now);
    }
    run.seen_at = now;
    return;
  }
  const bool was_open = !run.has_outcome;
  run.awaits_status = false;
  take_status(run, app, now);
  take_driver(record, app);
  if (was_open) take_window(run, app);
}

void remember(KnownObject& known, const Application& app, Seen seen) {
  known.version = app.version;
  known.name_space = app.name_space;
  known.name = app.name;
  if (!app.deletion) known.spec_hash = app.spec_hash;
  if (!app.submission_id.empty()) known.submission_id = app.submission_id;
  if (app.attempt_time) known.attempt_time = app.attempt_time;
  known.gone = seen == Seen::kDeleted;
}

// Takes the label's id unless it was taken off in mid-run.
void take_record_id(KnownObject& known, const Application& app) {
  if (known.record_id.empty() || app.labels.contains(std::string(kRecordId)))
    known.record_id = wanted_record_id(app);
}

void after_known_event(KnownObject& known, const Application& app, absl::Time now) {
  if (is_new_specification(known, app) || is_new_submission_after_outcome(known, app)) {
    open_next_run(known, app, now);
    take_record_id(known, app);
    return;
  }
  Record& record = known.records.back();
  if (record.run.has_outcome) return;
  take_manifest(record, app);
  if (app.spec_hash != known.spec_hash && !app.deletion && !had_submission_or_end(record.run)) {
    take_meta(record, app);
    take_window(record.run, app);
  }
}

}  // namespace

std::string wanted_record_id(const Application& app) {
  const std::string id = label(app, kRecordId);
  if (id.empty()) return app.uid;
  const std::string schedule = label(app, kSchedule);
  if (schedule.empty()) return id;
  if (app.name.size() > schedule.size() + 1 && app.name.starts_with(schedule + '-')) {
    return id + '-' + app.name.substr(schedule.size() + 1);
  }
  const std::size_t dash = app.name.rfind('-');
  return dash == std::string::npos ? id : id + '-' + app.name.substr(dash + 1);
}

bool is_news(const KnownObject& known, const Application& app, Seen seen) {
  if (app.version != known.version) return app.version > known.version;
  return seen == Seen::kDeleted && !known.gone;
}

KnownObject after_event(std::optional<KnownObject> before, const Application& app, Seen seen, absl::Time now,
                        const std::string& cluster) {
  KnownObject known = std::move(before).value_or(KnownObject());
  if (known.records.empty()) {
    known.cluster = cluster;
    known.uid = app.uid;
    known.spec_hash = app.spec_hash;
    take_record_id(known, app);
    take_window(open_run(known, app, app.created.value_or(now), now).run, app);
  } else {
    after_known_event(known, app, now);
  }
  take_event_status(known, app, now);
  remember(known, app, seen);
  Run& newest = known.newest();
  if (seen == Seen::kDeleted && newest.is_open())
    close(newest, RecordReason::kDeleted, app.deletion.value_or(now));
  return known;
}

KnownObject after_replacement(KnownObject known, absl::Time now) {
  known.gone = true;
  if (!known.records.empty() && known.newest().is_open()) close(known.newest(), RecordReason::kReplaced, now);
  return known;
}

KnownObject after_loss(KnownObject known, absl::Time now) {
  known.gone = true;
  if (!known.records.empty() && known.newest().is_open()) close(known.newest(), RecordReason::kLost, now);
  return known;
}

bool note_waiting(KnownObject& known, absl::Time now) {
  if (known.records.empty()) return false;
  Run& run = known.newest();
  const bool waits = run.awaits_status && run.is_open() && run.reason != RecordReason::kNotAccepted;
  if (!waits || now - run.opened_at < kNotAcceptedAfter) return false;
  run.reason = RecordReason::kNotAccepted;
  run.error =
      "the operator has not taken the new specification for ten minutes, which happens when it was away at "
      "the time: "
      "change something under spec.driver (an annotation is enough), or delete the application and create it "
      "again";
  return true;
}

}  // namespace waybill::history
