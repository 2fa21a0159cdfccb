#include "waybill/app/serve_commands.h"

#include "waybill/app/serve.h"

namespace waybill::app {
namespace {

const cli::Flag kConfig = {.name = "config",
                           .letter = 'c',
                           .value = "FILE",
                           .help = "the configuration; without one: SQLite, a local shell and defaults",
                           .type = cli::ValueType::kFile};

int run_serve(const cli::Invocation& typed, cli::Environment& environment) {
  return serve(typed.text("config"), environment);
}

int run_migrate(const cli::Invocation& typed, cli::Environment& environment) {
  return migrate(typed.text("config"), environment);
}

}  // namespace

std::vector<cli::Command> serve_commands() {
  return {
      {.path = {"serve"},
       .summary = "run the server",
       .description =
           "Serves REST until SIGINT or SIGTERM; jobs that run then go on and are followed again after the "
           "next start. SIGHUP loads the configuration again; if it is wrong, the old one stays.",
       .flags = {kConfig},
       .examples = {{"waybill serve", "on http://127.0.0.1:9090, with ./waybill.db and a local shell"},
                    {"waybill serve --config waybill.yaml", "as the file says"}},
       .run = run_serve},
      {.path = {"migrate"},
       .summary = "bring the database to this version's schema",
       .description = "serve does the same at its start; this is for those who want it as a step of its own.",
       .flags = {kConfig},
       .examples = {{"waybill migrate --config waybill.yaml", "migrate the database that the file names"}},
       .run = run_migrate},
  };
}

}  // namespace waybill::app
