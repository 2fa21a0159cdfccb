#pragma once

#include "waybill/cli/command.h"

namespace waybill::app {

// history dead-letters.
[[nodiscard]] cli::Command dead_letters_command();

}  // namespace waybill::app
