#pragma once

#include <vector>

#include "waybill/cli/command.h"

namespace waybill::app {

// template render.
[[nodiscard]] std::vector<cli::Command> template_commands();

}  // namespace waybill::app
