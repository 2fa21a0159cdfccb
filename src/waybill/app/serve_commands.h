#pragma once

#include <vector>

#include "waybill/cli/command.h"

namespace waybill::app {

// serve, migrate.
[[nodiscard]] std::vector<cli::Command> serve_commands();

}  // namespace waybill::app
