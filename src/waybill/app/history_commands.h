#pragma once

#include <vector>

#include "waybill/cli/command.h"

namespace waybill::app {

// history replay.
[[nodiscard]] std::vector<cli::Command> history_commands();

}  // namespace waybill::app
