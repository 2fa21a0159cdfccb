#include <absl/strings/str_cat.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/job_file.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

// attributes preview: what templates make of a job, before the server has them.
namespace waybill::cli {
namespace json = boost::json;
namespace {

// Outputs are texts; a file may well write a number without quotes.
absl::StatusOr<std::string> output_text(const std::string& where, const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_number() || value.is_bool()) return std::string(json::serialize(value));
  return usage_error(fmt::format("{}: an output is a text", where));
}

absl::Status add_output_file(const std::string& path, Environment& environment, json::object& outputs) {
  WB_ASSIGN(const std::string text, read_file(path, environment));
  WB_ASSIGN(const json::value value, parse_yaml(text, path));
  if (!value.is_object()) return usage_error(fmt::format("--outputs @{}: it must hold a map of texts", path));
  for (const auto& member : value.get_object()) {
    const std::string key(member.key());
    WB_ASSIGN(outputs[key], output_text(fmt::format("--outputs @{}: {}", path, key), member.value()));
  }
  return absl::OkStatus();
}

// "key=text" or "@file" (a map in YAML or JSON), the later one wins.
absl::StatusOr<json::object> outputs_of(const Invocation& invocation, Environment& environment) {
  json::object outputs;
  for (const std::string& flag : invocation.all("outputs")) {
    if (!is_clean_utf8(flag))
      return usage_error(fmt::format("--outputs: \"{}\" is not UTF-8", made_visible(flag)));
    if (flag.starts_with('@')) {
      WB_TRY(add_output_file(flag.substr(1), environment, outputs));
      continue;
    }
    const std::size_t equals = flag.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage_error(fmt::format("--outputs: \"{}\" is neither key=text nor @file", flag));
    outputs[flag.substr(0, equals)] = flag.substr(equals + 1);
  }
  return outputs;
}

// The command's attributes and the cluster's; the cluster's label wins.
json::array merged(const json::array& of_command, const json::array& of_cluster) {
  json::array all;
  for (const json::value& one : of_command) {
    const json::value& label = one.at("label");
    const bool again = std::any_of(of_cluster.begin(), of_cluster.end(),
                                   [&](const json::value& other) { return other.at("label") == label; });
    if (!again) all.push_back(one);
  }
  all.insert(all.end(), of_cluster.begin(), of_cluster.end());
  return all;
}

absl::StatusOr<const ConfigEntry*> entry_of(const std::map<std::string, ConfigEntry>& entries,
                                            const std::string& what, const std::string& name) {
  const auto found = entries.find(name);
  if (found != entries.end()) return &found->second;
  return usage_error(fmt::format("there is no {} \"{}\" in the config", what, name),
                     fmt::format("name one of its {}s by id or name with --{}", what, what));
}

// With -c: the config's templates and contexts, in place of those that the server has.
absl::Status add_config(const ConfigReader& read_config, const Invocation& invocation,
                        Environment& environment, json::object& body) {
  const std::optional<std::string> file = invocation.find("config");
  if (!file) return absl::OkStatus();
  if (!read_config) return usage_error("this program reads no config files");
  WB_ASSIGN(const ConfigEntries entries, read_config(*file, environment));
  const std::string cluster(body.at("cluster").as_string());
  WB_ASSIGN(const ConfigEntry* of_cluster, entry_of(entries.clusters, "cluster", cluster));
  body["cluster"] = of_cluster->id;
  body["cluster_context"] = of_cluster->context;
  json::array of_command;
  if (const json::value* command = body.if_contains("command")) {
    const auto known = entries.commands.find(std::string(command->as_string()));
    // The command of a job may have gone from the config; one that was named must be there.
    if (known == entries.commands.end() && invocation.has("command")) {
      return entry_of(entries.commands, "command", invocation.text("command")).status();
    }
    if (known != entries.commands.end()) {
      body["command"] = known->second.id;
      body["command_context"] = known->second.context;
      of_command = known->second.attributes;
    }
  }
  body["attributes"] = merged(of_command, of_cluster->attributes);
  return absl::OkStatus();
}

// Where the job went is what counts unless the flags say otherwise.
absl::Status add_job(Session& session, const std::string& id, json::object& body) {
  WB_ASSIGN(const Answer answer, session.api().get("/job/" + url_encoded(id)));
  const json::object* job = answer.value.if_object();
  if (job == nullptr) return unavailable("the server answered something that is no job");
  body["job_id"] = id;
  for (const char* what : {"command", "cluster"}) {
    const std::string entry = text_of(*job, absl::StrCat(what, "_id"));
    if (!body.contains(what) && !entry.empty()) body[what] = entry;
  }
  return absl::OkStatus();
}

absl::StatusOr<json::object> preview_body(Session& session, const ConfigReader& read_config,
                                          const Invocation& invocation) {
  json::object body;
  for (const char* what : {"cluster", "command"}) {
    if (invocation.has(what)) body[what] = invocation.text(what);
  }
  if (invocation.has("job") && invocation.has("job-file")) {
    return usage_error("attributes preview takes --job or --job-file, not both");
  }
  if (invocation.has("job")) {
    WB_TRY(add_job(session, invocation.text("job"), body));
  } else if (const std::optional<std::string> file = invocation.find("job-file")) {
    WB_ASSIGN(const std::string text, read_file(*file, session.environment()));
    WB_ASSIGN(body["sample"], parse_yaml(text, *file));
  }
  if (!body.contains("cluster")) return usage_error("attributes preview wants --cluster NAME, or --job ID");
  WB_TRY(add_config(read_config, invocation, session.environment(), body));
  if (invocation.has("outputs")) {
    WB_ASSIGN(body["outputs"], outputs_of(invocation, session.environment()));
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

absl::StatusOr<int> preview(Session& session, const ConfigReader& read_config, const Invocation& invocation) {
  WB_ASSIGN(const json::object body, preview_body(session, read_config, invocation));
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

}  // namespace

Command preview_command(ConfigReader read_config) {
  return client_command(
      {.path = {"attributes", "preview"},
       .summary = "render a cluster's attributes",
       .description =
           "Renders the templates of a cluster, and of a command, over a job or over a sample. With -c\n"
           "templates and contexts are those of a config file, so that they can be tried before the server\n"
           "has them. Of a job the outputs that were kept count (keep_outputs), and those of --outputs.\n"
           "Exits with 1 if one fails.",
       .flags = {{.name = "config",
                  .letter = 'c',
                  .value = "FILE",
                  .help = "templates and contexts of this config",
                  .type = ValueType::kFile},
                 {.name = "cluster",
                  .value = "NAME",
                  .help = "the cluster, by id or name; default: that of --job"},
                 {.name = "command", .value = "NAME", .help = "with this command's context and attributes"},
                 {.name = "job", .value = "ID", .help = "over this job"},
                 {.name = "job-file",
                  .value = "FILE",
                  .help = "over the job of this YAML or JSON",
                  .type = ValueType::kFile},
                 {.name = "outputs",
                  .value = "K=V",
                  .help = "what the job would publish, or @FILE with a map of YAML or JSON",
                  .repeats = true}},
       .examples = {{"waybill attributes preview --job 01890a5d-ac96-774b-bcce-b302099a8057",
                     "What a job's links would be"},
                    {"waybill attributes preview -c waybill.yaml --cluster prod --outputs app=app-1 rows=42",
                     "Try a changed config"},
                    {"waybill attributes preview -c waybill.yaml --cluster prod --job-file sample.json",
                     "The same over a job that you describe"}}},
      [reader = std::move(read_config)](Session& session, const Invocation& invocation) {
        return preview(session, reader, invocation);
      });
}

}  // namespace waybill::cli
