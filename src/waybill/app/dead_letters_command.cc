#include "waybill/app/dead_letters_command.h"

#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "waybill/app/config_commands.h"
#include "waybill/app/system_clock.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/cli.h"
#include "waybill/cli/table.h"
#include "waybill/config/load.h"
#include "waybill/storage/database.h"

namespace waybill::app {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMost = 1000;

std::string named(const storage::StoredDeadLetter& letter) {
  if (letter.name.empty()) return letter.subject;
  return letter.name_space.empty() ? letter.name : letter.name_space + '/' + letter.name;
}

std::string as_table(const std::vector<storage::StoredDeadLetter>& letters, bool headers) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& letter : letters) {
    rows.push_back({format_time(letter.last_at), std::to_string(letter.times), letter.cluster, named(letter),
                    letter.version, std::to_string(letter.size), letter.reason});
  }
  return cli::table_text({{"LAST"}, {"TIMES"}, {"CLUSTER"}, {"OBJECT"}, {"VERSION"}, {"BYTES"}, {"REASON"}},
                         rows, {.headers = headers});
}

std::string as_json(const std::vector<storage::StoredDeadLetter>& letters) {
  json::array rows;
  for (const auto& letter : letters) {
    rows.push_back({{"cluster", letter.cluster},
                    {"scope", letter.scope},
                    {"namespace", letter.name_space},
                    {"name", letter.name},
                    {"subject", letter.subject},
                    {"resource_version", letter.version},
                    {"bytes", letter.size},
                    {"reason", letter.reason},
                    {"times", letter.times},
                    {"first_at", format_time(letter.first_at)},
                    {"last_at", format_time(letter.last_at)}});
  }
  return json::serialize(rows) + '\n';
}

int run(const cli::Invocation& typed, cli::Environment& environment) {
  std::string database = typed.text("database");
  if (database.empty()) {
    const config::Loaded loaded = config::load(typed.text("config"), load_options());
    print_findings(loaded, environment);
    if (!loaded.ok()) return cli::kUsage;
    database = loaded.config->database.connection_string.reveal();
  }
  const SystemClock clock;
  const auto letters = storage::read_dead_letters(database, clock, typed.number("limit", kMost));
  if (!letters.ok()) {
    cli::print_error(environment, message(letters.status()));
    return absl::IsInvalidArgument(letters.status()) ? cli::kUsage : cli::kError;
  }
  environment.out << (typed.text("output") == "json" ? as_json(*letters)
                                                     : as_table(*letters, !typed.has("no-headers")));
  return cli::kOk;
}

}  // namespace

cli::Command dead_letters_command() {
  return {
      .path = {"history", "dead-letters"},
      .summary = "show the objects that could not be recorded, and why",
      .description =
          "Reads the database, also beside a server that runs: one line for each object that was put aside, "
          "the newest first, with how often it came. Rows go when they have not come again for "
          "janitor.record_retention_days.",
      .flags = {{.name = "config",
                 .letter = 'c',
                 .value = "FILE",
                 .help = "the configuration that names the database",
                 .type = cli::ValueType::kFile},
                {.name = "database", .value = "URL", .help = "this one instead: sqlite:FILE or postgres://…"},
                {.name = "limit",
                 .value = "N",
                 .help = "rows at most (default 1000)",
                 .type = cli::ValueType::kNumber},
                {.name = "output",
                 .letter = 'o',
                 .value = "FORMAT",
                 .help = "how to print them (default table)",
                 .choices = {"table", "json"}},
                {.name = "no-headers", .help = "no line of titles"}},
      .examples = {{"waybill history dead-letters --config waybill.yaml", "what was put aside, and why"}},
      .run = run};
}

}  // namespace waybill::app
