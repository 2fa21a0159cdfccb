#include "waybill/app/config_commands.h"

#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "waybill/base/redact.h"
#include "waybill/base/status.h"
#include "waybill/cli/cli.h"
#include "waybill/cli/failure.h"
#include "waybill/plugins/builtin.h"

namespace waybill::app {
namespace {

const cli::Argument kFile = {.name = "FILE", .help = "the configuration file", .type = cli::ValueType::kFile};

const cli::Flag kConfig = {.name = "config",
                           .letter = 'c',
                           .value = "FILE",
                           .help = "the same as FILE, as serve takes it",
                           .type = cli::ValueType::kFile};

// The file by either of its names; "" : none was given.
absl::StatusOr<std::string> config_file(const cli::Invocation& typed) {
  if (typed.has("FILE") && typed.has("config")) return invalid("two files are named: FILE and --config");
  return typed.has("config") ? typed.text("config") : typed.text("FILE");
}

int usage(cli::Environment& environment, const std::string& what) {
  cli::print_error(environment, what, "name one configuration file");
  return cli::kUsage;
}

int check(const cli::Invocation& typed, cli::Environment& environment) {
  const absl::StatusOr<std::string> named = config_file(typed);
  if (!named.ok()) return usage(environment, message(named.status()));
  const std::string& file = *named;
  if (file.empty()) return usage(environment, "config check needs a FILE");
  const config::Loaded loaded = config::load(file, load_options());
  print_findings(loaded, environment);
  if (!loaded.ok()) return cli::kUsage;
  environment.out << file << ": ok, " << loaded.config->base.commands.size() << " commands, "
                  << loaded.config->base.clusters.size() << " clusters\n";
  return cli::kOk;
}

int show(const cli::Invocation& typed, cli::Environment& environment) {
  const absl::StatusOr<std::string> named = config_file(typed);
  if (!named.ok()) return usage(environment, message(named.status()));
  const config::Loaded loaded = config::load(*named, load_options());
  print_findings(loaded, environment);
  if (!loaded.ok()) return cli::kUsage;
  environment.out << config::show(*loaded.config);
  return cli::kOk;
}

int schema(const cli::Invocation& typed, cli::Environment& environment) {
  const std::string form = typed.text("format", "json");
  if (form == "markdown") {
    environment.out << config::generate_markdown();
  } else if (form == "plugins") {
    environment.out << config::generate_plugins_markdown(plugins::builtin_traits());
  } else {
    environment.out << config::generate_json_schema();
  }
  return cli::kOk;
}

cli::ConfigEntry config_entry(const std::string& id, const domain::Entry& entry, const Redactor& redactor) {
  cli::ConfigEntry out;
  out.id = id;
  if (entry.context) out.context = redactor.masked(*entry.context);
  for (const domain::AttributeTemplate& one : entry.attributes) {
    out.attributes.push_back(boost::json::object{{"label", one.label},
                                                 {"kind", to_string(one.kind)},
                                                 {"show", to_string(one.show)},
                                                 {"value", one.value}});
  }
  return out;
}

template <class Entries>
std::map<std::string, cli::ConfigEntry> config_entries(const Entries& entries, const Redactor& redactor) {
  std::map<std::string, cli::ConfigEntry> all;
  for (const auto& [id, entry] : entries) all[id.str()] = config_entry(id.str(), *entry, redactor);
  for (const auto& [id, entry] : entries) all.emplace(entry->name, all.at(id.str()));
  return all;
}

}  // namespace

absl::StatusOr<cli::ConfigEntries> read_entries(const std::string& file, cli::Environment& environment) {
  const config::Loaded loaded = config::load(file, load_options());
  if (!loaded.ok()) {
    print_findings(loaded, environment);
    return cli::usage_error(file + " can't be used: its mistakes are listed above");
  }
  const Redactor redactor(loaded.config->secret_keys);
  cli::ConfigEntries entries;
  entries.commands = config_entries(loaded.config->base.commands, redactor);
  entries.clusters = config_entries(loaded.config->base.clusters, redactor);
  return entries;
}

config::LoadOptions load_options() {
  config::LoadOptions options;
  options.plugins = plugins::builtin_traits();
  return options;
}

void print_findings(const config::Loaded& loaded, cli::Environment& environment) {
  for (const config::Mistake& mistake : loaded.mistakes) {
    environment.err << "error: " << config::format_mistake(mistake) << '\n';
  }
  for (const config::Mistake& warning : loaded.warnings) {
    environment.err << "warning: " << config::format_mistake(warning) << '\n';
  }
}

std::vector<cli::Command> config_commands() {
  cli::Argument optional_file = kFile;
  optional_file.required = false;
  return {
      {.path = {"config", "check"},
       .summary = "say every mistake of a configuration file",
       .description = "Reads the file as the server would, without starting one, and lists all mistakes as "
                      "file:line:column: path: what is wrong. Ends with 2 if there is one.",
       .arguments = {optional_file},
       .flags = {kConfig},
       .examples = {{"waybill config check waybill.yaml", "check a file before a reload"}},
       .run = check},
      {.path = {"config", "show"},
       .summary = "print the configuration that counts",
       .description =
           "Every setting with its value and where it came from; secrets are masked. Without a file: the "
           "defaults.",
       .arguments = {optional_file},
       .flags = {kConfig},
       .examples = {{"waybill config show waybill.yaml", "the file's settings and the defaults around them"}},
       .run = show},
      {.path = {"config", "schema"},
       .summary = "print the JSON Schema of the configuration",
       .description = "For editors that check YAML while one types.",
       .flags = {{.name = "format",
                  .value = "FORM",
                  .help = "json; markdown: the reference page; plugins: the keys of the executors",
                  .choices = {"json", "markdown", "plugins"}}},
       .examples = {{"waybill config schema > waybill.schema.json", "write the schema for an editor"}},
       .run = schema},
  };
}

}  // namespace waybill::app
