#pragma once

#include <string>

namespace waybill::plugins {

// How Go words the end of a process: "exit status 3", "signal: killed", "signal: aborted (core dumped)".
[[nodiscard]] std::string exit_text(int code);
[[nodiscard]] std::string signal_text(int signal, bool dumped);

}  // namespace waybill::plugins
