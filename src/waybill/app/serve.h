#pragma once

#include <string>

#include "waybill/cli/environment.h"

namespace waybill::app {

// Runs the server that a configuration file describes ("" : the defaults) until SIGINT or SIGTERM; SIGHUP
// loads the file again. Returns the exit code: 2 for a wrong file, 1 if something could not be opened.
int serve(const std::string& file, cli::Environment& environment);

// Brings the database that the file names to this program's schema and ends.
int migrate(const std::string& file, cli::Environment& environment);

}  // namespace waybill::app
