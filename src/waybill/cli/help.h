#pragma once

#include <string>
#include <vector>

#include "waybill/cli/command.h"

namespace waybill::cli {

// The text of --help for a command, a group, or (empty path) the program.
[[nodiscard]] std::string help_text(const CommandTree& tree, const std::vector<std::string>& path);

// "waybill logs ID [flags]"
[[nodiscard]] std::string synopsis(const Command& command);
// "-o, --output FORM"
[[nodiscard]] std::string flag_spelling(const Flag& flag);

}  // namespace waybill::cli
