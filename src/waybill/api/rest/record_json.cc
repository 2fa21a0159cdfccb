#include "waybill/api/rest/record_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "waybill/api/rest/job_json.h"
#include "waybill/base/time.h"

namespace waybill::rest {
namespace {

std::string time_text(const std::optional<absl::Time>& time) { return time ? format_time(*time) : ""; }

std::string_view type_of(const domain::Run& run) {
  return domain::to_string(domain::parse_record_type(run.type_word));
}

void write_what(const domain::Record& record, JsonText& out) {
  const domain::Run& run = record.run;
  out.key("id");
  out.text(run.id.str());
  out.some("job_id", run.name);
  out.some("project", run.project);
  out.some("table", run.table);
  out.some("type", type_of(run));
  out.some("status", domain::to_string(run.status));
  out.some("reason", domain::to_string(run.reason));
  out.some("error", run.error);
}

void write_when(const domain::Record& record, JsonText& out) {
  const domain::Run& run = record.run;
  out.some("job_start_time", format_time(run.start));
  out.some("job_end_time", time_text(run.end));
  if (run.end) {
    out.key("duration_ms");
    out.number(absl::ToInt64Milliseconds(*run.end - run.start));
  }
  out.some("start_time_param", time_text(run.window.from));
  out.some("end_time_param", time_text(run.window.to));
  out.some_number("attempts", run.attempts);
  out.some("unwatched_since", time_text(record.unwatched_since));
}

void write_where(const domain::Record& record, JsonText& out) {
  const domain::Run& run = record.run;
  out.some("cluster", run.cluster);
  out.some("namespace", run.name_space);
  out.some("uid", run.uid);
  out.some_number("run_number", run.number);
  out.some("spark_application_id", run.application_id);
  out.some("submission_id", run.submission_id);
  out.some("driver_pod", record.driver_pod);
  out.some("web_ui_address", record.web_ui_address);
  out.some("gateway_job_id", record.gateway_job.str());
  out.some("output_location", record.output_location);
  if (!record.feature_refs.empty()) out.words("feature_refs", record.feature_refs);
  out.some("manifest_sha256", record.manifest);
}

// A program that opens the file must take a text for a text: one that begins like a formula gets a quote
// before it, as spreadsheets have it.
std::string cell(std::string_view text) {
  const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != text.npos;
  const bool quoted = is_formula || text.find_first_of(",\"\r\n") != text.npos;
  if (!quoted) return std::string(text);
  std::string out = is_formula ? "\"'" : "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

void write_record(const domain::Record& record, JsonText& out) {
  out.begin_object();
  write_what(record, out);
  write_when(record, out);
  write_where(record, out);
  if (!record.attributes.empty()) {
    out.key("attributes");
    write_attributes(record.attributes, out);
  }
  write_attribute_errors(record.attribute_errors, out);
  out.end_object();
}

std::string record_json(const domain::Record& record) {
  JsonText out;
  write_record(record, out);
  return out.take();
}

std::string_view record_csv_header() {
  return "id,job_id,project,table,type,status,reason,job_start_time,job_end_time,duration_ms,start_time_"
         "param,"
         "end_time_param,attempts,error,spark_application_id,cluster,namespace,uid,run_number,gateway_job_"
         "id\r\n";
}

std::string record_csv(const domain::Record& record) {
  const domain::Run& run = record.run;
  const std::array<std::string, 20> cells = {
      cell(run.id.str()),
      cell(run.name),
      cell(run.project),
      cell(run.table),
      std::string(type_of(run)),
      std::string(domain::to_string(run.status)),
      std::string(domain::to_string(run.reason)),
      format_time(run.start),
      time_text(run.end),
      run.end ? std::to_string(absl::ToInt64Milliseconds(*run.end - run.start)) : "",
      time_text(run.window.from),
      time_text(run.window.to),
      std::to_string(run.attempts),
      cell(run.error),
      cell(run.application_id),
      cell(run.cluster),
      cell(run.name_space),
      cell(run.uid),
      std::to_string(run.number),
      cell(record.gateway_job.str())};
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

}  // namespace waybill::rest
