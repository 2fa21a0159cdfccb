#pragma once

#include <absl/status/statusor.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "waybill/cli/command.h"
#include "waybill/cli/environment.h"
#include "waybill/cli/exit_code.h"

namespace waybill::cli {

// What a preview of attributes needs of a server's config file.
struct ConfigEntry {
  std::string id;
  boost::json::array attributes;  // {"label", "kind", "show", "value"}, in the file's order
  boost::json::object context;    // secrets masked
};
struct ConfigEntries {  // by id, and by name where that is no other's id
  std::map<std::string, ConfigEntry> commands;
  std::map<std::string, ConfigEntry> clusters;
};
// Prints every mistake of the file before it answers an error.
using ConfigReader = std::function<absl::StatusOr<ConfigEntries>(const std::string& file, Environment&)>;

// What the program adds to the client commands: serve, migrate, config …, with their groups.
struct LocalCommands {
  std::vector<Group> groups;
  std::vector<Command> commands;
  ConfigReader read_config = {};
};

// The whole tree: client commands, local ones, completion, version and help.
[[nodiscard]] CommandTree command_tree(LocalCommands local);

// Runs one command line (without the program's name) and returns the exit code. Errors are printed as
// "error: …" and "hint: …" to environment.err. Does not throw.
int run(std::vector<std::string> args, Environment& environment, LocalCommands local = {});

// "error: <sentence>" and "hint: <what to do>" (if there is one), with control characters made visible. For
// local commands too.
void print_error(Environment& environment, const std::string& sentence, const std::string& hint = "");

}  // namespace waybill::cli
