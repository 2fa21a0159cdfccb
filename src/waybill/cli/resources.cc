#include "waybill/cli/resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/cli/commands/commands.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/jobs.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

const std::vector<std::string> kJobStatuses = {"NEW",    "ACCEPTED",  "RUNNING",   "FAILED",
                                               "KILLED", "SUCCEEDED", "CANCELING", "CANCELED"};

ResourceColumn member(std::string title, std::string name, bool only_wide = false) {
  return {.shown = {.title = std::move(title)},
          .text = [name = std::move(name)](const json::object& object,
                                           const Session&) { return text_of(object, name); },
          .only_wide = only_wide};
}

ResourceColumn whole(ResourceColumn column) {
  column.shown.shrink = Shrink::kNever;
  return column;
}

ResourceColumn status_column() {
  ResourceColumn column = whole(member("STATUS", "status"));
  column.shown.is_status = true;
  return column;
}

ResourceColumn list(std::string title, std::string name) {
  return {.shown = {.title = std::move(title)},
          .text = [name = std::move(name)](const json::object& object,
                                           const Session&) { return list_of(object, name); },
          .only_wide = true};
}

ResourceColumn own_tags() {
  return {.shown = {.title = "TAGS"},
          .text = [](const json::object& object, const Session&) { return own_tags_of(object); },
          .only_wide = true};
}

ResourceColumn time(std::string title, std::string name, bool only_wide = false) {
  return {.shown = {.title = std::move(title), .shrink = Shrink::kNever},
          .text = [name = std::move(name)](
                      const json::object& object,
                      const Session& session) { return session.shown_time(time_of(object, name)); },
          .only_wide = only_wide};
}

ResourceColumn duration() {
  return {.shown = {.title = "DURATION", .shrink = Shrink::kNever},
          .text = [](const json::object& object, const Session& session) -> std::string {
            if (const auto milliseconds = number_of(object, "duration_ms")) {
              return duration_text(absl::Milliseconds(*milliseconds));
            }
            std::optional<absl::Time> started = time_of(object, "started_at");
            if (started && !text_of(object, "finished_at").empty()) {
              return duration_text(absl::ZeroDuration());  // 0 is left out of answers
            }
            if (!started && text_of(object, "status") == "RUNNING")
              started = time_of(object, "job_start_time");
            if (!started || is_final_status(text_of(object, "status"))) return "";
            return duration_text(session.now() - *started);
          }};
}

ResourceColumn named(std::string title, std::string what) {
  return {.shown = {.title = std::move(title)},
          .text = [what = std::move(what)](const json::object& object, const Session&) {
            const std::string name = text_of(object, what + "_name");
            return name.empty() ? text_of(object, what + "_id") : name;
          }};
}

ResourceColumn links() {
  return {.shown = {.title = "LINKS"},
          .text =
              [](const json::object& object, const Session&) {
                std::vector<std::string> found;
                for (const ShownAttribute& attribute : shown_attributes(object)) {
                  if (attribute.is_link) found.push_back(attribute.label + "=" + attribute.value);
                }
                return fmt::format("{}", fmt::join(found, ", "));
              },
          .only_wide = true};
}

std::vector<Flag> catalog_filters() {
  return {{.name = "id", .value = "PATTERN", .help = "id (SQL LIKE: % and _)"},
          {.name = "username", .value = "PATTERN", .help = "owner (SQL LIKE)"},
          {.name = "name", .value = "PATTERN", .help = "name (SQL LIKE)"},
          {.name = "version", .value = "PATTERN", .help = "version (SQL LIKE)"},
          {.name = "status",
           .value = "STATUS",
           .help = "ACTIVE, INACTIVE, DELETED, or several with commas",
           .repeats = true}};
}

}  // namespace

std::vector<Flag> job_filter_flags() {
  const std::string statuses = fmt::format("{}, or several with commas", fmt::join(kJobStatuses, ", "));
  return {{.name = "id", .value = "PATTERN", .help = "id (SQL LIKE: % and _)"},
          {.name = "username", .value = "PATTERN", .help = "who submitted it (SQL LIKE)"},
          {.name = "name", .value = "PATTERN", .help = "name (SQL LIKE)"},
          {.name = "version", .value = "PATTERN", .help = "version (SQL LIKE)"},
          {.name = "command", .value = "PATTERN", .help = "command (SQL LIKE)"},
          {.name = "cluster", .value = "PATTERN", .help = "cluster (SQL LIKE)"},
          {.name = "status", .value = "STATUS", .help = statuses, .repeats = true},
          {.name = "tags", .value = "K:V", .help = "tags that it must have, all of them", .repeats = true},
          {.name = "from", .value = "TIME", .help = "created then or later", .type = ValueType::kTime},
          {.name = "to", .value = "TIME", .help = "created before", .type = ValueType::kTime},
          {.name = "finished-from", .value = "TIME", .help = "ended then or later", .type = ValueType::kTime},
          {.name = "finished-to", .value = "TIME", .help = "ended before", .type = ValueType::kTime},
          {.name = "min-duration",
           .value = "TIME",
           .help = "ran so long or longer",
           .type = ValueType::kDuration},
          {.name = "max-duration",
           .value = "TIME",
           .help = "ran so long or shorter",
           .type = ValueType::kDuration},
          {.name = "q", .letter = 'q', .value = "WORDS", .help = "words in name, tags or id"},
          {.name = "mine", .help = "only the caller's own"}};
}

Resource jobs_resource() {
  return {.singular = "job",
          .plural = "jobs",
          .filters = job_filter_flags(),
          .columns = {whole(member("ID", "id")), member("NAME", "name"), status_column(),
                      member("USER", "user"), named("COMMAND", "command"), named("CLUSTER", "cluster"),
                      time("CREATED", "created_at"), duration(), member("VERSION", "version", true),
                      own_tags(), member("ERROR", "error", true), links()}};
}

Resource commands_resource() {
  std::vector<Flag> filters = catalog_filters();
  filters.push_back({.name = "plugin", .value = "PATTERN", .help = "plugin (SQL LIKE)"});
  return {.singular = "command",
          .plural = "commands",
          .filters = std::move(filters),
          .columns = {member("ID", "id"), member("NAME", "name"), member("VERSION", "version"),
                      status_column(), member("PLUGIN", "plugin"), member("SYNC", "is_sync"),
                      member("USER", "user"), member("DESCRIPTION", "description", true), own_tags(),
                      list("CLUSTER TAGS", "cluster_tags"), list("ALLOWED CALLERS", "allowed_callers"),
                      time("UPDATED", "updated_at", true)}};
}

Resource clusters_resource() {
  return {.singular = "cluster",
          .plural = "clusters",
          .filters = catalog_filters(),
          .columns = {member("ID", "id"), member("NAME", "name"), member("VERSION", "version"),
                      status_column(), member("PROBED", "health_check"), member("USER", "user"),
                      member("DESCRIPTION", "description", true), own_tags(),
                      time("UPDATED", "updated_at", true)}};
}

Resource records_resource() {
  std::vector<Flag> filters;
  for (const char* name : {"project", "table", "cluster", "namespace", "job-id", "spark-application-id"}) {
    filters.push_back({.name = name, .value = "TEXT", .help = fmt::format("only runs of this {}", name)});
  }
  filters.push_back(
      {.name = "type",
       .value = "TYPE",
       .help = "only runs of these types",
       .repeats = true,
       .choices = {"BATCH_INGESTION_JOB", "STREAM_INGESTION_JOB", "RETRIEVAL_JOB", "INVALID_JOB"}});
  filters.push_back({.name = "status",
                     .value = "STATUS",
                     .help = "PENDING, RUNNING, DONE, ERROR, or several with commas",
                     .repeats = true});
  filters.push_back({.name = "reason",
                     .value = "REASON",
                     .help = "Failed, Lost, Retrying, …, or several with commas",
                     .repeats = true});
  for (const auto& [name, help] : {std::pair<const char*, const char*>{"from", "started then or later"},
                                   {"to", "started then or earlier"},
                                   {"window-from", "covers data after then"},
                                   {"window-to", "covers data before then"}}) {
    filters.push_back({.name = name, .value = "TIME", .help = help, .type = ValueType::kTime});
  }
  return {
      .singular = "record",
      .plural = "records",
      .filters = std::move(filters),
      .columns = {whole(member("ID", "id")), member("PROJECT", "project"), member("TABLE", "table"),
                  member("TYPE", "type"), status_column(), member("REASON", "reason"),
                  time("STARTED", "job_start_time"), duration(), time("DATA FROM", "start_time_param", true),
                  time("DATA TO", "end_time_param", true), member("TRIES", "attempts", true),
                  member("CLUSTER", "cluster", true), member("NAMESPACE", "namespace", true),
                  member("JOB", "job_id", true), member("ERROR", "error", true), links()}};
}

std::vector<Resource> all_resources() {
  return {jobs_resource(), commands_resource(), clusters_resource(), records_resource()};
}

std::vector<TableColumn> shown_columns(const Resource& resource, const Session& session) {
  std::vector<TableColumn> columns;
  for (const ResourceColumn& column : resource.columns) {
    if (!column.only_wide || session.form() == OutputForm::kWide) columns.push_back(column.shown);
  }
  return columns;
}

std::vector<std::string> row_of(const Resource& resource, const json::object& object,
                                const Session& session) {
  std::vector<std::string> row;
  for (const ResourceColumn& column : resource.columns) {
    if (!column.only_wide || session.form() == OutputForm::kWide) row.push_back(column.text(object, session));
  }
  return row;
}

Query filter_query(const std::vector<Flag>& filters, const Invocation& invocation, absl::Time now) {
  Query query;
  for (const Flag& flag : filters) {
    if (!invocation.has(flag.name)) continue;
    std::string name = flag.name;
    std::replace(name.begin(), name.end(), '-', '_');
    if (flag.repeats) {
      query.emplace_back(name, fmt::format("{}", fmt::join(invocation.all(flag.name), ",")));
    } else if (flag.type == ValueType::kTime) {
      query.emplace_back(name, api_time(invocation.text(flag.name), now));
    } else {
      query.emplace_back(name, invocation.text(flag.name));
    }
  }
  return query;
}

}  // namespace waybill::cli
