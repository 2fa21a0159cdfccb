#pragma once

#include <vector>

#include "waybill/cli/cli.h"
#include "waybill/cli/command.h"

// The declarations of the client commands, in the order of --help. One file each beside this one.
namespace waybill::cli {

[[nodiscard]] std::vector<Group> client_groups();

[[nodiscard]] Command submit_command();
[[nodiscard]] Command rerun_command();
[[nodiscard]] Command cancel_command();
[[nodiscard]] std::vector<Command> get_commands();
[[nodiscard]] std::vector<Command> list_commands();
[[nodiscard]] std::vector<Command> follow_commands();   // logs, wait, events
[[nodiscard]] std::vector<Command> inspect_commands();  // route, health, stats, open
// `read_config` may be empty: then -c is refused.
[[nodiscard]] Command preview_command(ConfigReader read_config);

// Flags that are filters of GET /jobs.
[[nodiscard]] std::vector<Flag> job_filter_flags();

}  // namespace waybill::cli
