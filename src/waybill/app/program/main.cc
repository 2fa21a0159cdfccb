// The program: a server and its client in one. Everything is put together in serve.cc.

#include <cstring>
#include <string>
#include <vector>

#include "waybill/app/local_commands.h"
#include "waybill/cli/cli.h"
#include "waybill/plugins/shell/supervisor.h"

int main(int argc, char** argv) {
  // First, and without anything else: a shell job's supervisor must start within a millisecond.
  if (argc > 1 && std::strcmp(argv[1], "shell-supervise") == 0) {
    return waybill::plugins::supervise(argc - 1, argv + 1);
  }
  waybill::cli::Environment environment = waybill::cli::process_environment();
  return waybill::cli::run(std::vector<std::string>(argv + 1, argv + argc), environment,
                           waybill::app::local_commands());
}
