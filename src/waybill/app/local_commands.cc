#include "waybill/app/local_commands.h"

#include <utility>
#include <vector>

#include "waybill/app/config_commands.h"
#include "waybill/app/history_commands.h"
#include "waybill/app/serve_commands.h"
#include "waybill/app/template_commands.h"

namespace waybill::app {

cli::LocalCommands local_commands() {
  cli::LocalCommands local;
  local.groups = {{"config", "check, show and describe the server's configuration"},
                  {"history", "the recorder's rules, by hand"},
                  {"template", "try attribute templates without a server"}};
  for (auto commands : {serve_commands(), config_commands(), template_commands(), history_commands()}) {
    for (cli::Command& command : commands) local.commands.push_back(std::move(command));
  }
  local.read_config = read_entries;
  return local;
}

}  // namespace waybill::app
