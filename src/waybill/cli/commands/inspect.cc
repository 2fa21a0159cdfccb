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

absl::StatusOr<int> open_link(Session& session, const Invocation& invocation) {
  const std::string page = invocation.has("record") ? "/ui/records/" : "/ui/jobs/";
  if (!session.api().settings().socket.empty()) {
    return usage_error(fmt::format("a browser can't open {}", session.api().settings().url),
                       "name the server's http URL with --url");
  }
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
