#include "waybill/cli/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <tuple>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

// "label: value" lines, the values in one column.
class Lines {
 public:
  void add(const std::string& label, const std::string& value) {
    if (!value.empty()) lines_.emplace_back(made_visible(label) + ":", value);
  }
  [[nodiscard]] std::string text() const {
    int width = 0;
    for (const auto& [label, value] : lines_) width = std::max(width, display_width(label));
    std::string out;
    for (const auto& [label, value] : lines_) {
      out +=
          label + std::string(static_cast<std::size_t>(width - display_width(label) + 2), ' ') + value + "\n";
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

bool wants_to_be_shown(const std::string& show, const std::string& status) {
  if (show == "running") return !is_final_status(status);
  if (show == "finished") return is_final_status(status);
  if (show == "failed") return status == "FAILED" || status == "KILLED" || status == "ERROR";
  return true;
}

std::string visible_member(const json::object& object, std::string_view name) {
  return made_visible(text_of(object, name));
}

std::string named(const json::object& job, const std::string& what) {
  const std::string name = visible_member(job, what + "_name");
  const std::string id = visible_member(job, what + "_id");
  if (name.empty() || name == id) return id;
  return id.empty() ? name : fmt::format("{} ({})", name, id);
}

std::string duration_of(const json::object& job) {
  const std::optional<double> milliseconds = number_of(job, "duration_ms");
  if (milliseconds) return duration_text(absl::Milliseconds(*milliseconds));
  // 0 is left out of answers.
  const bool ran = !text_of(job, "started_at").empty() && !text_of(job, "finished_at").empty();
  return ran ? duration_text(absl::ZeroDuration()) : "";
}

std::string attempt_of(const json::object& job) {
  const std::string attempt = visible_member(job, "attempt");
  return attempt == "1" ? "" : attempt;
}

}  // namespace

std::vector<ShownAttribute> shown_attributes(const json::object& object) {
  const json::object* attributes = object_of(object, "extra_job_attributes");
  if (attributes == nullptr) attributes = object_of(object, "job_attributes");
  if (attributes == nullptr) attributes = object_of(object, "attributes");
  if (attributes == nullptr) return {};
  const std::string status = text_of(object, "status");
  std::vector<std::tuple<double, std::size_t, ShownAttribute>> found;
  for (const auto& member : *attributes) {
    const json::object* attribute = member.value().if_object();
    if (attribute == nullptr || !wants_to_be_shown(text_of(*attribute, "show"), status)) continue;
    const double position = number_of(*attribute, "position").value_or(0);
    found.emplace_back(position, found.size(),
                       ShownAttribute{.label = std::string(member.key()),
                                      .value = text_of(*attribute, "value"),
                                      .is_link = text_of(*attribute, "kind") == "link"});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::vector<ShownAttribute> shown;
  for (auto& entry : found) shown.push_back(std::move(std::get<2>(entry)));
  return shown;
}

std::string job_text(const json::object& job, const Session& session, bool wide) {
  Lines lines;
  lines.add("id", visible_member(job, "id"));
  lines.add("name", visible_member(job, "name"));
  lines.add("version", visible_member(job, "version"));
  lines.add("description", visible_member(job, "description"));
  lines.add("status", session.coloured(text_of(job, "status")));
  lines.add("reason", visible_member(job, "status_reason"));
  lines.add("error", visible_member(job, "error"));
  lines.add("user", visible_member(job, "user"));
  lines.add("command", named(job, "command"));
  lines.add("cluster", named(job, "cluster"));
  lines.add("tags", made_visible(own_tags_of(job)));
  lines.add("queue", visible_member(job, "queue"));
  lines.add("priority", visible_member(job, "priority"));
  lines.add("attempt", attempt_of(job));
  lines.add("canceled by", visible_member(job, "canceled_by"));
  lines.add("rerun of", visible_member(job, "rerun_of"));
  lines.add("created", session.shown_time(time_of(job, "created_at")));
  lines.add("started", session.shown_time(time_of(job, "started_at")));
  lines.add("finished", session.shown_time(time_of(job, "finished_at")));
  lines.add("duration", duration_of(job));
  if (wide) {
    lines.add("command criteria", made_visible(list_of(job, "command_criteria")));
    lines.add("cluster criteria", made_visible(list_of(job, "cluster_criteria")));
    const json::object* context = object_of(job, "context");
    if (context != nullptr) lines.add("context", made_visible(json::serialize(*context)));
    lines.add("records", made_visible(list_of(job, "record_ids")));
    lines.add("idempotency key", visible_member(job, "idempotency_key"));
  }
  for (const ShownAttribute& attribute : shown_attributes(job)) {
    lines.add(attribute.label, made_visible(attribute.value));
  }
  if (const json::object* errors = object_of(job, "attribute_errors"); errors != nullptr && wide) {
    for (const auto& member : *errors) {
      lines.add(std::string(member.key()) + " (not shown)", visible_member(*errors, member.key()));
    }
  }
  return lines.text();
}

std::string result_text(const json::object& result, const Session& session) {
  std::vector<TableColumn> columns;
  const json::value* declared = find_member(result, "columns");
  if (declared == nullptr || !declared->is_array()) return "";
  for (const json::value& column : declared->get_array()) {
    columns.push_back({.title = column.is_object() ? text_of(column.get_object(), "name") : ""});
  }
  std::vector<std::vector<std::string>> rows;
  const json::value* data = find_member(result, "data");
  if (data != nullptr && data->is_array()) {
    for (const json::value& row : data->get_array()) {
      if (!row.is_array()) continue;
      std::vector<std::string>& cells = rows.emplace_back();
      for (const json::value& cell : row.get_array()) {
        cells.push_back(cell.is_string() ? std::string(cell.get_string()) : json::serialize(cell));
      }
    }
  }
  return table_text(columns, rows, session.table_style());
}

absl::Status print_job(Session& session, const Answer& answer) {
  const json::object* job = answer.value.if_object();
  if (job == nullptr) return unavailable("the server answered something that is no job");
  if (session.form() == OutputForm::kName) return session.print(made_visible(text_of(*job, "id")) + "\n");
  if (!session.is_table()) return session.print_json(answer.text);
  WB_TRY(session.print(job_text(*job, session, session.form() == OutputForm::kWide)));
  const json::object* result = object_of(*job, "result");
  if (result == nullptr) return absl::OkStatus();
  return session.print("\n" + result_text(*result, session));
}

int exit_code_of_jobs(const std::vector<Answer>& jobs) {
  const bool all_succeeded = std::all_of(jobs.begin(), jobs.end(), [](const Answer& answer) {
    return answer.value.is_object() && text_of(answer.value.get_object(), "status") == "SUCCEEDED";
  });
  return all_succeeded ? kOk : kJobFailed;
}

}  // namespace waybill::cli
