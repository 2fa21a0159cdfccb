#pragma once

#include <string>
#include <vector>

#include "waybill/cli/command.h"

namespace waybill::cli {

struct ManPage {
  std::string file;  // "waybill-list-jobs.1"
  std::string text;  // roff with man macros
};

// One page for the program and one for each command that is not hidden.
[[nodiscard]] std::vector<ManPage> man_pages(const CommandTree& tree);

}  // namespace waybill::cli
