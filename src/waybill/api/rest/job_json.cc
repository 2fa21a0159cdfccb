#include "waybill/api/rest/job_json.h"

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/go_json.h"
#include "waybill/base/time.h"
#include "waybill/domain/attribute_order.h"

namespace waybill::rest {
namespace {

constexpr std::size_t kRowContextBytes = 16384;

void write_time(std::string_view name, absl::Time time, JsonText& out) {
  if (time != absl::InfinitePast()) out.some(name, format_time(time));
}

void write_context(const boost::json::object& context, const JobForm& form, JsonText& out) {
  const std::string text = go_json(form.redactor.masked(context));
  out.key("context");
  if (!form.row || text.size() <= kRowContextBytes) {
    out.raw(text);
    return;
  }
  out.begin_object();
  out.key("$truncated");
  out.number(static_cast<std::int64_t>(text.size()));
  out.end_object();
}

void write_spec(const domain::Job& job, const JobForm& form, JsonText& out) {
  const domain::JobSpec& spec = job.spec;
  out.key("id");
  out.text(job.id.str());
  out.some("name", spec.name);
  out.some("version", spec.version);
  out.some("user", spec.user);
  out.some("description", spec.description);
  out.words("tags", domain::with_system_tags(job.id.str(), spec.name, spec.version, spec.tags));
  if (spec.context) write_context(*spec.context, form, out);
  out.some_number("created_at", absl::ToUnixSeconds(job.created_at));
  out.some_number("updated_at", absl::ToUnixSeconds(job.updated_at));
  out.some("status", to_string(job.state.status));
  out.some_flag("is_sync", job.route.is_sync);
  out.some_flag("store_result_sync", spec.store_result_sync);
  out.some("error", job.state.error);
  if (spec.command_criteria) out.words("command_criteria", *spec.command_criteria);
  if (spec.cluster_criteria) out.words("cluster_criteria", *spec.cluster_criteria);
}

void write_life(const domain::Job& job, JsonText& out) {
  const domain::JobState& state = job.state;
  out.some("canceled_by", state.canceled_by);
  out.some("status_reason", to_string(state.reason));
  write_time("started_at", state.started_at, out);
  write_time("finished_at", state.finished_at, out);
  if (state.started_at != absl::InfinitePast() && state.finished_at != absl::InfinitePast()) {
    out.some_number("duration_ms", absl::ToInt64Milliseconds(state.finished_at - state.started_at));
  }
  out.some_number("attempt", state.attempt);
  out.some_number("attempts", job.spec.max_attempts);
  out.some("queue", job.spec.queue);
  out.some_number("priority", job.spec.priority);
  if (job.spec.timeout > absl::ZeroDuration()) {
    out.key("timeout_seconds");
    out.real(absl::ToDoubleSeconds(job.spec.timeout));
  }
  out.some("idempotency_key", job.spec.idempotency_key);
  out.some("rerun_of", job.spec.rerun_of.str());
}

void write_links(const domain::Job& job, JsonText& out) {
  for (const char* name : {"extra_job_attributes", "job_attributes"}) {
    if (job.attributes.empty()) break;
    out.key(name);
    write_attributes(job.attributes, out);
  }
  write_attribute_errors(job.attribute_errors, out);
  if (!job.record_ids.empty()) {
    out.key("record_ids");
    out.begin_array();
    for (const RecordId& id : job.record_ids) out.text(id.str());
    out.end_array();
  }
}

}  // namespace

void write_attributes(const domain::Attributes& attributes, JsonText& out) {
  out.begin_object();
  for (const auto* item : domain::in_order(attributes)) {
    const domain::Attribute& attribute = item->second;
    out.key(item->first);
    out.begin_object();
    out.some("kind", to_string(attribute.kind));
    out.some("value", attribute.value);
    if (attribute.show != domain::AttributeShow::kAlways) out.some("show", to_string(attribute.show));
    out.some_number("position", attribute.position);
    out.end_object();
  }
  out.end_object();
}

void write_attribute_errors(const domain::AttributeErrors& errors, JsonText& out) {
  if (errors.empty()) return;
  out.key("attribute_errors");
  out.begin_object();
  for (const auto& [label, message] : errors) {
    out.key(label);
    out.text(message);
  }
  out.end_object();
}

void write_result(const domain::ResultTable& result, JsonText& out) {
  out.begin_object();
  out.key("columns");
  out.begin_array();
  for (const domain::ResultColumn& column : result.columns) {
    out.begin_object();
    out.key("name");
    out.text(column.name);
    out.key("type");
    out.text(column.type);
    out.end_object();
  }
  out.end_array();
  out.key("data");
  out.value(result.rows);
  out.some_flag("truncated", result.truncated);
  out.end_object();
}

void write_job(const domain::Job& job, const JobForm& form, JsonText& out) {
  out.begin_object();
  write_spec(job, form, out);
  out.some("command_id", job.route.command_id.str());
  out.some("command_name", job.route.command_name);
  out.some("cluster_id", job.route.cluster_id.str());
  out.some("cluster_name", job.route.cluster_name);
  if (!form.row) {
    out.some("command_revision", job.route.command_revision);
    out.some("cluster_revision", job.route.cluster_revision);
  }
  write_life(job, out);
  write_links(job, out);
  if (form.result != nullptr) {
    out.key("result");
    write_result(*form.result, out);
  }
  if (form.result_text != nullptr && !form.result_text->empty()) {
    out.key("result");
    out.raw(*form.result_text);
  }
  if (form.warnings != nullptr && !form.warnings->empty()) out.words("warnings", *form.warnings);
  out.end_object();
}

std::string job_json(const domain::Job& job, const JobForm& form) {
  JsonText out;
  write_job(job, form, out);
  return out.take();
}

std::string job_status_json(const domain::Job& job) {
  JsonText out;
  out.begin_object();
  out.some("status", to_string(job.state.status));
  out.some("error", job.state.error);
  out.some_number("updated_at", absl::ToUnixSeconds(job.updated_at));
  out.end_object();
  return out.take();
}

}  // namespace waybill::rest
