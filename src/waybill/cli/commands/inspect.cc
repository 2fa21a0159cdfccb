#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/job_file.h"
#include "waybill/cli/object_text.h"
#include "waybill/cli/resources.h"
#include "waybill/cli/route_text.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

absl::StatusOr<int> health(Session& session, const Invocation& invocation) {
  const std::string cluster = invocation.text("CLUSTER");
  const std::string path =
      cluster.empty() ? "/clusters/health" : "/cluster/" + url_encoded(cluster) + "/health";
  WB_ASSIGN(const Answer answer, session.api().get_any(path));
  const json::object* object = answer.value.if_object();
  const json::value* checks = object == nullptr ? nullptr : find_member(*object, "checks");
  if (checks == nullptr || !checks->is_array()) {
    return failure_of({.status = answer.status, .headers = {}, .body = answer.text});
  }
  const int code = bool_of(*object, "healthy") ? kOk : kError;
  if (!session.is_table() && session.form() != OutputForm::kName) {
    WB_TRY(session.print_json(answer.text));
    return code;
  }
  const Answer rows{.status = answer.status, .text = "", .value = *checks};
  WB_TRY(
      print_rows(session, rows, {"cluster_id", "cluster_name", "plugin", "status", "latency_ms", "error"}));
  return code;
}

// The members of all rows, in the order they were met; those of `counts` among them.
std::vector<std::string> stats_columns(const std::vector<json::object>& rows) {
  std::vector<std::string> columns;
  for (const json::object& row : rows) {
    for (const auto& member : row) {
      if (std::find(columns.begin(), columns.end(), member.key()) == columns.end())
        columns.emplace_back(member.key());
    }
  }
  return columns;
}

// {"start", "counts": {"FAILED": 2}, …} with the counts as members of its own.
json::object flattened(const json::object& row) {
  json::object flat;
  for (const auto& member : row) {
    if (member.key() != "counts" || !member.value().is_object()) {
      flat[member.key()] = member.value();
      continue;
    }
    for (const auto& count : member.value().get_object()) flat[count.key()] = count.value();
  }
  return flat;
}

absl::StatusOr<int> stats(Session& session, const std::string& kind, const std::vector<Flag>& filters,
                          const Invocation& invocation) {
  const Query query = filter_query(filters, invocation, session.now());
  WB_ASSIGN(const Answer answer, session.api().get("/stats/" + kind + query_text(query)));
  const json::array* rows = rows_of(answer.value);
  if (rows == nullptr || !session.is_table()) {
    WB_TRY(session.print_json(answer.text));
    return kOk;
  }
  std::vector<json::object> flat;
  for (const json::value& row : *rows) {
    if (row.is_object()) flat.push_back(flattened(row.get_object()));
  }
  json::object total;
  if (answer.value.is_object() && object_of(answer.value.get_object(), "counts") != nullptr) {
    total = flattened(answer.value.get_object());
    for (const char* name : {"data", "from", "to", "bucket_seconds"}) total.erase(name);
    total["start"] = "total";
    flat.push_back(std::move(total));
  }
  json::array table;
  for (const json::object& row : flat) table.emplace_back(row);
  const Answer shown{.status = answer.status, .text = "", .value = std::move(table)};
  WB_TRY(print_rows(session, shown, stats_columns(flat)));
  return kOk;
}

// The name of a pair's half, which may be an object or a word.
std::string named(const json::object& pair, const std::string& what) {
  if (const json::object* object = object_of(pair, what)) {
    const std::string name = text_of(*object, "name");
    return name.empty() ? text_of(*object, "id") : name;
  }
  const std::string word = text_of(pair, what);
  return word.empty() ? text_of(pair, what + "_id") : word;
}

std::string route_text(const json::object& answer, const Session& session) {
  const json::object* chosen = object_of(answer, "chosen");
  std::vector<std::vector<std::string>> rows;
  const json::value* pairs = find_member(answer, "pairs");
  if (pairs != nullptr && pairs->is_array()) {
    for (const json::value& pair : pairs->get_array()) {
      if (!pair.is_object()) continue;
      const std::string command = named(pair.get_object(), "command");
      const std::string cluster = named(pair.get_object(), "cluster");
      const bool taken =
          chosen != nullptr && named(*chosen, "command") == command && named(*chosen, "cluster") == cluster;
      const bool sick =
          find_member(pair.get_object(), "healthy") != nullptr && !bool_of(pair.get_object(), "healthy");
      rows.push_back({command, cluster, sick ? "unhealthy" : "healthy", taken ? "taken" : ""});
    }
  }
  std::string text;
  if (!rows.empty()) {
    text = table_text({{.title = "COMMAND"},
                       {.title = "CLUSTER"},
                       {.title = "HEALTH", .is_status = true},
                       {.title = "CHOICE"}},
                      rows, session.table_style());
  }
  const std::string why = text_of(answer, "why");
  if (!why.empty()) text += made_visible(why) + "\n";
  const std::string misses = near_misses_text(answer);
  if (!misses.empty()) text += "nearly:\n      " + misses + "\n";
  return text;
}

absl::StatusOr<int> route(Session& session, const Invocation& invocation) {
  WB_ASSIGN(const json::object body, submit_body(invocation, session.environment()));
  WB_ASSIGN(const Answer answer, session.api().post("/route", json::serialize(body)));
  const json::object* object = answer.value.if_object();
  if (object == nullptr) return unavailable("the server answered something that is no route");
  const json::value* chosen = find_member(*object, "chosen");
  const int code = chosen != nullptr && chosen->is_object() ? kOk : kError;
  if (session.is_table()) {
    WB_TRY(session.print(route_text(*object, session)));
  } else {
    WB_TRY(session.print_json(answer.text));
  }
  return code;
}

// The entry of a list under `section` in a config whose id or name it is.
absl::StatusOr<json::object> entry_of(const json::value& config, const std::string& section,
                                      const std::string& name) {
  const json::value* entries = config.is_object() ? find_member(config.get_object(), section) : nullptr;
  if (entries != nullptr && entries->is_array()) {
    for (const json::value& entry : entries->get_array()) {
      if (!entry.is_object()) continue;
      const json::object& object = entry.get_object();
      if (text_of(object, "id") == name || text_of(object, "name") == name) return object;
    }
  }
  return usage_error(fmt::format("there is no cluster \"{}\" in the config", name),
                     "name one of its clusters by id or name with --cluster");
}

absl::StatusOr<json::object> preview_body(const Invocation& invocation, Environment& environment) {
  json::object body;
  const std::string cluster = invocation.text("cluster");
  if (cluster.empty()) return usage_error("attributes preview wants --cluster NAME");
  body["cluster"] = cluster;
  if (const std::optional<std::string> config = invocation.find("config")) {
    WB_ASSIGN(const std::string text, read_file(*config, environment));
    WB_ASSIGN(const json::value document, parse_yaml(text, *config));
    WB_ASSIGN(const json::object entry, entry_of(document, "clusters", cluster));
    const json::object* attributes = object_of(entry, "attributes");
    body["attributes"] = attributes == nullptr ? json::object() : *attributes;
  }
  if (invocation.has("job") && invocation.has("job-file")) {
    return usage_error("attributes preview takes --job or --job-file, not both");
  }
  if (invocation.has("command")) body["command"] = invocation.text("command");
  if (invocation.has("job")) body["job_id"] = invocation.text("job");
  if (const std::optional<std::string> file = invocation.find("job-file")) {
    WB_ASSIGN(const std::string text, read_file(*file, environment));
    WB_ASSIGN(body["sample"], parse_yaml(text, *file));
  }
  return body;
}

std::string preview_text(const json::object& answer, const Session& session) {
  std::vector<std::vector<std::string>> rows;
  if (const json::object* attributes = object_of(answer, "attributes")) {
    for (const auto& member : *attributes) {
      if (!member.value().is_object()) continue;
      const json::object& attribute = member.value().get_object();
      rows.push_back({std::string(member.key()), text_of(attribute, "kind"), text_of(attribute, "value")});
    }
  }
  const json::value* errors = find_member(answer, "errors");
  if (errors != nullptr && errors->is_array()) {
    for (const json::value& error : errors->get_array()) {
      if (!error.is_object()) continue;
      const std::string line = text_of(error.get_object(), "line");
      const std::string where = line.empty() ? "" : line + ":" + text_of(error.get_object(), "column") + ": ";
      rows.push_back(
          {text_of(error.get_object(), "label"), "error", where + text_of(error.get_object(), "error")});
    }
  }
  return table_text({{.title = "LABEL"}, {.title = "KIND", .is_status = true}, {.title = "VALUE"}}, rows,
                    session.table_style());
}

bool has_errors(const json::object& answer) {
  const json::value* errors = find_member(answer, "errors");
  return errors != nullptr && errors->is_array() && !errors->get_array().empty();
}

absl::StatusOr<int> preview(Session& session, const Invocation& invocation) {
  WB_ASSIGN(const json::object body, preview_body(invocation, session.environment()));
  WB_ASSIGN(const Answer answer, session.api().post("/attributes/preview", json::serialize(body)));
  const json::object* object = answer.value.if_object();
  if (object == nullptr) return unavailable("the server answered something that is no preview");
  if (session.is_table()) {
    WB_TRY(session.print(preview_text(*object, session)));
  } else {
    WB_TRY(session.print_json(answer.text));
  }
  return has_errors(*object) ? kError : kOk;
}

absl::StatusOr<int> open_link(Session& session, const Invocation& invocation) {
  const std::string page = invocation.has("record") ? "/ui/records/" : "/ui/jobs/";
  const std::string link = session.api().settings().url + page + url_encoded(invocation.text("ID"));
  WB_TRY(session.print(link + "\n"));
  return kOk;
}

std::vector<Command> stats_commands() {
  std::vector<Flag> times = {
      {.name = "from", .value = "TIME", .help = "from then on", .type = ValueType::kTime},
      {.name = "to", .value = "TIME", .help = "before then", .type = ValueType::kTime}};
  const auto filters = [&](const std::vector<std::string>& members) {
    std::vector<Flag> flags = times;
    flags.push_back({.name = "bucket",
                     .value = "TIME",
                     .help = "whole hours that a row stands for",
                     .type = ValueType::kDuration});
    for (const std::string& name : members) {
      flags.push_back({.name = name, .value = "TEXT", .help = "only of this " + name});
    }
    return flags;
  };
  std::vector<Command> commands;
  for (const auto& [kind, names] :
       {std::pair<std::string, std::vector<std::string>>{"jobs", {"user", "command", "cluster", "status"}},
        {"records", {"project", "table", "type"}}}) {
    const std::vector<Flag> flags = filters(names);
    const auto action = [what = kind, flags](Session& session, const Invocation& invocation) {
      return stats(session, what, flags, invocation);
    };
    commands.push_back(client_command(
        {.path = {"stats", kind},
         .summary = "count " + kind + " by status over time",
         .description = "Counts, success rate and durations from hourly sums.",
         .flags = flags,
         .examples = {{"waybill stats " + kind + " --from 1d", "The last day"},
                      {"waybill stats " + kind + " --from 7d -o json", "A week, for a program"}}},
        action));
  }
  return commands;
}

}  // namespace

std::vector<Command> inspect_commands() {
  std::vector<Command> commands;
  commands.push_back(client_command(
      {.path = {"route"},
       .summary = "show where a job would go, and why",
       .description =
           "A dry run: nothing is submitted. Exits with 1 if nothing matches, and says what nearly did.",
       .flags =
           {{.name = "command", .value = "CRIT", .help = "a tag that the command must have", .repeats = true},
            {.name = "cluster", .value = "CRIT", .help = "a tag that the cluster must have", .repeats = true},
            {.name = "file",
             .letter = 'f',
             .value = "FILE",
             .help = "a job as for submit",
             .type = ValueType::kFile}},
       .examples = {{"waybill route --command type:spark --cluster data:prod",
                     "Which pairs match, and which is taken"},
                    {"waybill route -f job.yaml -o json", "The same for a job's file"}}},
      route));
  commands.push_back(client_command(
      {.path = {"attributes", "preview"},
       .summary = "render a cluster's attributes",
       .description = "Renders the templates of a cluster over a job, or over a sample. With -c the "
                      "templates are those\n"
                      "of a config file, so that they can be tried before the server has them. Exits with 1 "
                      "if one fails.",
       .flags = {{.name = "config",
                  .letter = 'c',
                  .value = "FILE",
                  .help = "templates of this config",
                  .type = ValueType::kFile},
                 {.name = "cluster", .value = "NAME", .help = "the cluster, by id or name"},
                 {.name = "command", .value = "NAME", .help = "with this command's context and attributes"},
                 {.name = "job", .value = "ID", .help = "over this job"},
                 {.name = "job-file",
                  .value = "FILE",
                  .help = "over the job of this YAML or JSON",
                  .type = ValueType::kFile}},
       .examples = {{"waybill attributes preview --cluster prod --job 01890a5d-ac96-774b-bcce-b302099a8057",
                     "What a job's links would be"},
                    {"waybill attributes preview -c waybill.yaml --cluster prod --job-file sample.json",
                     "Try a changed config"}}},
      preview));
  commands.push_back(
      client_command({.path = {"health"},
                      .summary = "probe the clusters",
                      .description = "Exits with 1 if one is not healthy.",
                      .arguments = {{.name = "CLUSTER", .help = "only this one, by id", .required = false}},
                      .examples = {{"waybill health", "All clusters with a probe"},
                                   {"waybill health prod -o json", "One cluster, for a program"}}},
                     health));
  for (Command& command : stats_commands()) commands.push_back(std::move(command));
  commands.push_back(
      client_command({.path = {"open"},
                      .summary = "print the link to a job in the web UI",
                      .description = "",
                      .arguments = {{.name = "ID", .help = "the job, or with --record the record"}},
                      .flags = {{.name = "record", .help = "the id is a record's"}},
                      .examples = {{"xdg-open \"$(waybill open 01890a5d-ac96-774b-bcce-b302099a8057)\"",
                                    "Open a job in the browser"}}},
                     open_link));
  return commands;
}

}  // namespace waybill::cli
