#pragma once

#include <string>

#include "waybill/cli/command.h"

namespace waybill::cli {

// A script that completes commands, flags and their known values; complete in itself (needs no
// bash-completion).
[[nodiscard]] std::string bash_completion(const CommandTree& tree);
[[nodiscard]] std::string zsh_completion(const CommandTree& tree);
[[nodiscard]] std::string fish_completion(const CommandTree& tree);

}  // namespace waybill::cli
