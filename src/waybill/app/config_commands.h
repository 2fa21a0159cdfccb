#pragma once

#include <vector>

#include "waybill/cli/command.h"
#include "waybill/config/load.h"

namespace waybill::app {

// config check, config schema, config show.
[[nodiscard]] std::vector<cli::Command> config_commands();

// What a load holds a file against: the executors of this program.
[[nodiscard]] config::LoadOptions load_options();

// Every mistake and warning, one a line.
void print_findings(const config::Loaded& loaded, cli::Environment& environment);

}  // namespace waybill::app
