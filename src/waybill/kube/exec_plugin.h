#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <optional>
#include <string>
#include <string_view>

#include "waybill/kube/kubeconfig.h"

namespace waybill::kube {

// What a plugin printed. Holds secrets.
struct ExecCredential {
  std::string token;
  std::string certificate;  // PEM
  std::string key;
  std::optional<absl::Time> expires = {};  // not said: until it is refused
};

// Runs a plugin, without a shell and with the server's own environment and what the kubeconfig adds, and
// waits for its end: blocks. It is killed, with its children, after `timeout`, after 1 MiB of output, or when
// the file descriptor `stopped` becomes readable. FailedPrecondition names the program and says what it wrote
// to stderr, bounded and without the values of its environment.
[[nodiscard]] absl::StatusOr<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const Access& access,
                                                             absl::Duration timeout, int stopped);

// Reads what a plugin printed; errors never hold any of it.
[[nodiscard]] absl::StatusOr<ExecCredential> parse_exec_credential(std::string_view text,
                                                                   std::string_view api_version);

}  // namespace waybill::kube
