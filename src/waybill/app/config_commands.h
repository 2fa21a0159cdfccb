#pragma once

#include <vector>

#include "waybill/cli/cli.h"
#include "waybill/cli/command.h"
#include "waybill/config/load.h"

namespace waybill::app {

// config check, config schema, config show.
[[nodiscard]] std::vector<cli::Command> config_commands();

// What `attributes preview -c` reads.
[[nodiscard]] absl::StatusOr<cli::ConfigEntries> read_entries(const std::string& file,
                                                              cli::Environment& environment);

// What a load holds a file against: the executors of this program.
[[nodiscard]] config::LoadOptions load_options();

// Every mistake and warning, one a line.
void print_findings(const config::Loaded& loaded, cli::Environment& environment);

}  // namespace waybill::app
