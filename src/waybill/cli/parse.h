#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "waybill/cli/command.h"

namespace waybill::cli {

struct Parsed {
  const Command* command = nullptr;    // nullptr: help for `path` was asked for
  std::vector<std::string> path = {};  // the words of the command or group; empty: the program itself
  Invocation invocation = {};
};

// Reads a command line by its declarations: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`,
// `--`;
// `_` in a long name counts as `-`. Common flags may stand before the command. Errors are of usage, with a
// hint.
//
// CLI11 is not used for this: it takes the next word where a value is empty (`--name= x`), splits values in
// brackets (`--tag [a,b]`), and its help, which also must be man pages and completion, is not data.
[[nodiscard]] absl::StatusOr<Parsed> parse(const CommandTree& tree, std::vector<std::string> args);

}  // namespace waybill::cli
