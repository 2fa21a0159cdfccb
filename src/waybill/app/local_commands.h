#pragma once

#include "waybill/cli/cli.h"

namespace waybill::app {

// What the program does itself, beside being a client: serve, migrate, config …, template …
[[nodiscard]] cli::LocalCommands local_commands();

}  // namespace waybill::app
