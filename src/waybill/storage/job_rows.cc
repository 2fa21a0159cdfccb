#include "waybill/storage/job_rows.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "waybill/base/id_time.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/columns.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

// Deeper than any limit that a submit may be given.
constexpr std::size_t kDepth = 256;

json::value parsed(const std::string& text) {
  absl::StatusOr<json::value> value = parse_json(text, {.depth = kDepth});
  return value.ok() ? *std::move(value) : json::value();
}

std::int64_t flag(bool value) { return value ? 1 : 0; }

Value optional_words(const std::optional<std::vector<std::string>>& words) {
  return words.has_value() ? Value(to_json_text(*words)) : Value();
}

std::optional<std::vector<std::string>> words_or_none(const Value& value) {
  if (is_null(value)) return std::nullopt;
  return words_of(as_text(value));
}

std::string text_member(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

std::vector<RecordId> record_ids_of(const std::string& text) {
  std::vector<RecordId> out;
  for (std::string& word : words_of(text)) out.emplace_back(std::move(word));
  return out;
}

constexpr std::size_t kJobColumns = 43;

}  // namespace

Value to_value(absl::Time time) {
  if (time == absl::InfinitePast()) return {};
  return static_cast<std::int64_t>(absl::ToUnixMicros(time));
}

absl::Time to_time(const Value& value) {
  return is_null(value) ? absl::InfinitePast() : absl::FromUnixMicros(as_int(value));
}

std::string to_json_text(const std::vector<std::string>& words) {
  return json::serialize(json::array(words.begin(), words.end()));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  if (text == "[]") return out;
  const json::value value = parsed(text);
  const json::array* array = value.if_array();
  if (array == nullptr) return out;
  for (const json::value& word : *array) {
    if (const json::string* string = word.if_string()) out.emplace_back(*string);
  }
  return out;
}

std::string to_json_text(const domain::Attributes& attributes) {
  json::object out;
  for (const auto& [label, attribute] : attributes) {
    json::object body;
    body["kind"] = domain::to_string(attribute.kind);
    body["show"] = domain::to_string(attribute.show);
    body["value"] = attribute.value;
    body["position"] = attribute.position;
    out[label] = std::move(body);
  }
  return json::serialize(out);
}

domain::Attributes attributes_of(const std::string& text) {
  domain::Attributes out;
  if (text == "{}") return out;
  const json::value value = parsed(text);
  const json::object* object = value.if_object();
  if (object == nullptr) return out;
  for (const auto& member : *object) {
    const json::object* body = member.value().if_object();
    if (body == nullptr) continue;
    domain::Attribute attribute;
    attribute.kind =
        domain::parse_attribute_kind(text_member(*body, "kind")).value_or(domain::AttributeKind::kUnset);
    attribute.show =
        domain::parse_attribute_show(text_member(*body, "show")).value_or(domain::AttributeShow::kAlways);
    attribute.value = text_member(*body, "value");
    if (const json::value* position = body->if_contains("position");
        position != nullptr && position->is_int64()) {
      attribute.position = static_cast<int>(position->get_int64());
    }
    out.emplace(std::string(member.key()), std::move(attribute));
  }
  return out;
}

std::string to_json_text(const std::vector<ports::SharedDirectory>& directories) {
  json::array out;
  for (const ports::SharedDirectory& directory : directories) {
    json::object body;
    body["setting"] = directory.setting;
    body["path"] = directory.path;
    body["id"] = directory.id;
    out.emplace_back(std::move(body));
  }
  return json::serialize(out);
}

ports::Instance instance_of(const Row& row) {
  Columns columns(row);
  ports::Instance instance;
  instance.id = InstanceId(columns.text());
  instance.host = columns.text();
  instance.roles = words_of(columns.text());
  instance.version = columns.text();
  const json::value directories = parsed(columns.text());
  if (!directories.is_array()) return instance;
  for (const json::value& one : directories.get_array()) {
    const json::object* body = one.if_object();
    if (body == nullptr) continue;
    instance.directories.push_back({.setting = text_member(*body, "setting"),
                                    .path = text_member(*body, "path"),
                                    .id = text_member(*body, "id")});
  }
  return instance;
}

std::string to_json_text(const std::map<std::string, std::string>& texts) {
  json::object out;
  for (const auto& [key, text] : texts) out[key] = text;
  return json::serialize(out);
}

std::map<std::string, std::string> texts_of(const std::string& text) {
  std::map<std::string, std::string> out;
  if (text == "{}") return out;
  const json::value value = parsed(text);
  const json::object* object = value.if_object();
  if (object == nullptr) return out;
  for (const auto& member : *object) {
    if (const json::string* string = member.value().if_string()) {
      out.emplace(std::string(member.key()), std::string(*string));
    }
  }
  return out;
}

void add_state_params(const domain::JobState& state, absl::Time now, Params& params) {
  const bool ran = state.started_at != absl::InfinitePast() && state.finished_at != absl::InfinitePast();
  const bool waits = state.status == domain::JobStatus::kNew && state.not_before > now;
  params.push_back({"status", static_cast<std::int64_t>(state.status)});
  params.push_back({"attempt", std::int64_t{state.attempt}});
  params.push_back({"lease_epoch", state.epoch});
  params.push_back({"lease_owner", state.owner.str()});
  params.push_back({"host", state.host});
  params.push_back({"handle", state.handle});
  params.push_back({"status_reason", std::string(domain::to_string(state.reason))});
  params.push_back({"error", state.error});
  params.push_back({"canceled_by", state.canceled_by});
  params.push_back({"delay_us", waits ? absl::ToInt64Microseconds(state.not_before - now) : std::int64_t{0}});
  params.push_back({"started_at", to_value(state.started_at)});
  params.push_back({"finished_at", to_value(state.finished_at)});
  params.push_back({"duration_us", ran ? std::max(std::int64_t{0}, absl::ToInt64Microseconds(
                                                                       state.finished_at - state.started_at))
                                       : std::int64_t{-1}});
}

absl::Time created_at_of(const domain::Job& job) { return time_in_id(job.id.str()).value_or(job.created_at); }

bool has_no_past(const domain::Job& job) {
  const domain::JobState& state = job.state;
  return state.status == domain::JobStatus::kNew && state.attempt == 1 && state.epoch == 0 &&
         state.owner.str().empty() && state.host.empty() && state.handle.empty() &&
         state.reason == domain::EndReason::kNone && state.error.empty() && state.canceled_by.empty() &&
         state.not_before == absl::InfinitePast() && state.started_at == absl::InfinitePast() &&
         state.finished_at == absl::InfinitePast() && job.attributes.empty() &&
         job.attribute_errors.empty() && job.record_ids.empty();
}

Params new_job_params(const domain::Job& job) {
  const domain::JobSpec& spec = job.spec;
  const domain::JobRoute& route = job.route;
  return {
      {"id", job.id.str()},
      {"username", spec.user},
      {"name", spec.name},
      {"version", spec.version},
      {"description", spec.description},
      {"tags", to_json_text(spec.tags)},
      {"context", spec.context.has_value() ? Value(json::serialize(*spec.context)) : Value()},
      {"command_criteria", optional_words(spec.command_criteria)},
      {"cluster_criteria", optional_words(spec.cluster_criteria)},
      {"store_result_sync", flag(spec.store_result_sync)},
      {"queue", spec.queue},
      {"priority", std::int64_t{spec.priority}},
      {"timeout_us", absl::ToInt64Microseconds(spec.timeout)},
      {"max_attempts", std::int64_t{spec.max_attempts}},
      {"idempotency_key", spec.idempotency_key},
      {"rerun_of", spec.rerun_of.str()},
      {"command_id", route.command_id.str()},
      {"command_name", route.command_name},
      {"cluster_id", route.cluster_id.str()},
      {"cluster_name", route.cluster_name},
      {"plugin", route.plugin},
      {"is_sync", flag(route.is_sync)},
      {"host_local", flag(route.host_local)},
      {"command_revision", route.command_revision},
      {"cluster_revision", route.cluster_revision},
      {"created_at", to_value(created_at_of(job))},
  };
}

Params insert_params(const domain::Job& job, absl::Time now) {
  std::vector<std::string> records;
  for (const RecordId& record : job.record_ids) records.push_back(record.str());
  Params params = new_job_params(job);
  params.push_back({"attributes", to_json_text(job.attributes)});
  params.push_back({"attribute_errors", to_json_text(job.attribute_errors)});
  params.push_back({"record_ids", to_json_text(records)});
  add_state_params(job.state, now, params);
  return params;
}

absl::StatusOr<domain::Job> job_of(const Row& row) {
  if (row.size() != kJobColumns) {
    return error(absl::StatusCode::kInternal, "internal",
                 fmt::format("a job's row has {} columns, expected {}", row.size(), kJobColumns));
  }
  Columns columns(row);
  domain::Job job;
  job.id = JobId(columns.text());
  job.state.status = static_cast<domain::JobStatus>(columns.small());
  job.spec.user = columns.text();
  job.spec.name = columns.text();
  job.spec.version = columns.text();
  job.spec.description = columns.text();
  job.spec.tags = words_of(columns.text());
  if (const Value& context = columns.value(); !is_null(context)) {
    json::value value = parsed(as_text(context));
    if (!value.is_object()) {
      return error(absl::StatusCode::kInternal, "internal",
                   fmt::format("the context of job {} is no JSON object", job.id.str()));
    }
    job.spec.context = std::move(value.get_object());
  }
  job.spec.command_criteria = words_or_none(columns.value());
  job.spec.cluster_criteria = words_or_none(columns.value());
  job.spec.store_result_sync = columns.flag();
  job.spec.queue = columns.text();
  job.spec.priority = columns.small();
  job.spec.timeout = absl::Microseconds(columns.number());
  job.spec.max_attempts = columns.small();
  job.spec.idempotency_key = columns.text();
  job.spec.rerun_of = JobId(columns.text());
  job.route.command_id = CommandId(columns.text());
  job.route.command_name = columns.text();
  job.route.cluster_id = ClusterId(columns.text());
  job.route.cluster_name = columns.text();
  job.route.plugin = columns.text();
  job.route.is_sync = columns.flag();
  job.route.host_local = columns.flag();
  job.route.command_revision = columns.text();
  job.route.cluster_revision = columns.text();
  job.state.attempt = columns.small();
  job.state.epoch = columns.number();
  job.state.owner = InstanceId(columns.text());
  job.state.host = columns.text();
  job.state.handle = columns.text();
  job.state.reason = domain::parse_end_reason(columns.text()).value_or(domain::EndReason::kNone);
  job.state.error = columns.text();
  job.state.canceled_by = columns.text();
  const std::int64_t not_before = columns.number();
  if (not_before > 0) job.state.not_before = absl::FromUnixMicros(not_before);
  job.state.started_at = to_time(columns.value());
  job.state.finished_at = to_time(columns.value());
  job.attributes = attributes_of(columns.text());
  job.attribute_errors = texts_of(columns.text());
  job.record_ids = record_ids_of(columns.text());
  job.has_result = columns.flag();
  job.created_at = to_time(columns.value());
  job.updated_at = to_time(columns.value());
  return job;
}

absl::StatusOr<std::vector<domain::Job>> jobs_of(const Rows& rows) {
  std::vector<domain::Job> jobs;
  jobs.reserve(rows.size());
  for (const Row& row : rows) {
    WB_ASSIGN(domain::Job job, job_of(row));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<JobId> ids_of(const Rows& rows) {
  std::vector<JobId> ids;
  ids.reserve(rows.size());
  for (const Row& row : rows) ids.emplace_back(as_text(row[0]));
  return ids;
}

}  // namespace waybill::storage
