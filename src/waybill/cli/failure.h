#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

// Errors of the command line, as absl::Status with what to do (a hint) attached.
namespace waybill::cli {

// The command line is wrong: exit code 2.
[[nodiscard]] absl::Status usage_error(std::string_view message, std::string_view hint = "");
// The user pressed Ctrl-C: exit code 130.
[[nodiscard]] absl::Status interrupted_error();
// The reader of standard output has gone; nothing is printed, exit code 1.
[[nodiscard]] absl::Status output_closed();
[[nodiscard]] bool is_output_closed(const absl::Status& status);

[[nodiscard]] absl::Status with_hint(absl::Status status, std::string_view hint);
[[nodiscard]] std::string hint_of(const absl::Status& status);  // "" : none

// What the program ends with for this error.
[[nodiscard]] int exit_code_of(const absl::Status& status);

}  // namespace waybill::cli
