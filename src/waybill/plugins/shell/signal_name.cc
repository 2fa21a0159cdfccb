#include "waybill/plugins/shell/signal_name.h"

#include <array>
#include <cstddef>

namespace waybill::plugins {

std::string exit_text(int code) { return "exit status " + std::to_string(code); }

std::string signal_text(int signal, bool dumped) {
  // By number, as Linux counts on x86 and ARM.
  constexpr std::array kNames = {"",
                                 "hangup",
                                 "interrupt",
                                 "quit",
                                 "illegal instruction",
                                 "trace/breakpoint trap",
                                 "aborted",
                                 "bus error",
                                 "floating point exception",
                                 "killed",
                                 "user defined signal 1",
                                 "segmentation fault",
                                 "user defined signal 2",
                                 "broken pipe",
                                 "alarm clock",
                                 "terminated"};
  const auto number = static_cast<std::size_t>(signal < 0 ? 0 : signal);
  const std::string name =
      number > 0 && number < kNames.size() ? kNames.at(number) : "signal " + std::to_string(signal);
  return "signal: " + name + (dumped ? " (core dumped)" : "");
}

}  // namespace waybill::plugins
