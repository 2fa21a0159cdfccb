#include "waybill/storage/record_rows.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/storage/columns.h"
#include "waybill/storage/histogram.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

constexpr std::size_t kRecordColumns = 39;

json::value micros(absl::Time time) { return absl::ToUnixMicros(time); }
json::value micros(const std::optional<absl::Time>& time) { return time ? micros(*time) : json::value(); }

std::optional<absl::Time> time_or_none(const Value& value) {
  if (is_null(value)) return std::nullopt;
  return absl::FromUnixMicros(as_int(value));
}

std::int64_t flag(bool value) { return value ? 1 : 0; }

std::int64_t duration_bucket(const domain::Run& run) {
  if (run.status != domain::RecordStatus::kDone || !run.end) return kNoDuration;
  return bucket_of(*run.end - run.start);
}

}  // namespace

json::object to_row(const domain::Record& record) {
  const domain::Run& run = record.run;
  return {{"id", run.id.str()},
          {"cluster", run.cluster},
          {"uid", run.uid},
          {"number", run.number},
          {"namespace", run.name_space},
          {"name", run.name},
          {"status", static_cast<std::int64_t>(run.status)},
          {"reason", domain::to_string(run.reason)},
          {"type", static_cast<std::int64_t>(domain::parse_record_type(run.type_word))},
          {"project", run.project},
          {"table_name", run.table},
          {"hash", run.hash},
          {"start_time", micros(run.start)},
          {"end_time", micros(run.end)},
          {"bucket", duration_bucket(run)},
          {"window_from", micros(run.window.from)},
          {"window_to", micros(run.window.to)},
          {"spark_application_id", run.application_id},
          {"gateway_job", record.gateway_job.str()},
          {"manifest", record.manifest},
          {"has_outcome", flag(run.has_outcome)},
          {"start_is_attempt", flag(run.start_is_attempt)},
          {"awaits_status", flag(run.awaits_status)},
          {"attempts", run.attempts},
          {"submission_id", run.submission_id},
          {"attempt_time", micros(run.attempt_time)},
          {"state", run.state},
          {"driver_end", micros(run.driver_end)},
          {"opened_at", micros(run.opened_at)},
          {"seen_at", micros(run.seen_at)},
          {"unwatched_since", micros(record.unwatched_since)},
          {"type_word", run.type_word},
          {"driver_pod", record.driver_pod},
          {"web_ui_address", record.web_ui_address},
          {"output_location", record.output_location},
          {"feature_refs", to_json_text(record.feature_refs)},
          {"attributes", to_json_text(record.attributes)},
          {"attribute_errors", to_json_text(record.attribute_errors)},
          {"error", run.error}};
}

absl::StatusOr<domain::Record> record_of(const Row& row) {
  if (row.size() < kRecordColumns) {
    return error(absl::StatusCode::kInternal, "internal",
                 fmt::format("a record's row has {} columns, expected {}", row.size(), kRecordColumns));
  }
  Columns columns(row);
  domain::Record record;
  domain::Run& run = record.run;
  run.id = RecordId(columns.text());
  run.cluster = columns.text();
  run.uid = columns.text();
  run.number = columns.small();
  run.name_space = columns.text();
  run.name = columns.text();
  run.status = static_cast<domain::RecordStatus>(columns.small());
  run.reason = domain::parse_record_reason(columns.text()).value_or(domain::RecordReason::kSubmitted);
  columns.value();  // the type: of the word
  run.project = columns.text();
  run.table = columns.text();
  run.hash = columns.text();
  run.start = to_time(columns.value());
  run.end = time_or_none(columns.value());
  columns.value();  // the bucket: of the times
  run.window.from = time_or_none(columns.value());
  run.window.to = time_or_none(columns.value());
  run.application_id = columns.text();
  record.gateway_job = JobId(columns.text());
  record.manifest = columns.text();
  run.has_outcome = columns.flag();
  run.start_is_attempt = columns.flag();
  run.awaits_status = columns.flag();
  run.attempts = columns.number();
  run.submission_id = columns.text();
  run.attempt_time = time_or_none(columns.value());
  run.state = columns.text();
  run.driver_end = time_or_none(columns.value());
  run.opened_at = to_time(columns.value());
  run.seen_at = to_time(columns.value());
  record.unwatched_since = time_or_none(columns.value());
  run.type_word = columns.text();
  record.driver_pod = columns.text();
  record.web_ui_address = columns.text();
  record.output_location = columns.text();
  record.feature_refs = words_of(columns.text());
  record.attributes = attributes_of(columns.text());
  record.attribute_errors = texts_of(columns.text());
  run.error = columns.text();
  return record;
}

json::object to_row(const ports::ObjectWrite& write, absl::Time now) {
  const domain::KnownObject& object = write.object;
  json::value decided_on;
  if (write.decided_on) decided_on = static_cast<std::int64_t>(*write.decided_on);
  return {{"uid", object.uid},
          {"namespace", object.name_space},
          {"name", object.name},
          {"scope", object.scope},
          {"rv", static_cast<std::int64_t>(object.version)},
          {"record_id", object.record_id},
          {"spec_hash", object.spec_hash},
          {"submission_id", object.submission_id},
          {"attempt_time", micros(object.attempt_time)},
          {"run_number", object.records.empty() ? 0 : object.newest().number},
          {"gone", flag(object.gone)},
          {"outside", flag(object.outside)},
          {"seen_at", micros(now)},
          {"decided_on", std::move(decided_on)}};
}

ObjectRow object_of(const Row& row) {
  Columns columns(row);
  ObjectRow out;
  domain::KnownObject& object = out.object;
  object.cluster = columns.text();
  object.uid = columns.text();
  object.name_space = columns.text();
  object.name = columns.text();
  object.scope = columns.text();
  object.version = static_cast<std::uint64_t>(columns.number());
  object.record_id = columns.text();
  object.spec_hash = columns.text();
  object.submission_id = columns.text();
  object.attempt_time = time_or_none(columns.value());
  out.run_number = columns.small();
  object.gone = columns.flag();
  object.outside = columns.flag();
  return out;
}

}  // namespace waybill::storage
