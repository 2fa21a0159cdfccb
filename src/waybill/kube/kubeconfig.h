#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/environment.h"

namespace waybill::kube {

// Which access is meant: the settings of the configuration's `kubernetes` entries.
struct AccessChoice {
  bool in_cluster = false;
  std::string kubeconfig =
      {};                    // a path, with ~/ for the home directory; "" : $KUBECONFIG, else ~/.kube/config
  std::string context = {};  // "" : the file's current-context
  // Where a pod finds its service account.
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// A program that prints a credential, as `aws eks get-token` does (client.authentication.k8s.io v1, v1beta1).
struct ExecPlugin {
  std::string api_version;
  std::string command;  // absolute, or looked up in PATH
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  std::string install_hint = {};
  bool provide_cluster_info = false;
};

// Where the server is and how we and it prove who we are. Holds secrets: never to be printed. Files are named
// here and read anew while it is in use (credentials.h); data was in the kubeconfig itself, decoded.
struct Access {
  std::string server;  // "https://host:port" with an optional path, without a slash at its end
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string proxy_url = {};
  std::string ca_file = {};
  std::string ca_data = {};  // PEM; wins over the file, as in all others
  std::string client_certificate_file = {};
  std::string client_certificate_data = {};
  std::string client_key_file = {};
  std::string client_key_data = {};
  std::string token = {};
  std::string token_file = {};  // wins over the token
  std::string username = {};
  std::string password = {};
  std::optional<ExecPlugin> exec = {};
  std::string name_space = "default";  // of the context, or of the pod
  std::string source = {};  // "context \"prod\" of /home/me/.kube/config", "service account": for messages
};

// Reads kubeconfig files, merged as kubectl does (the first to name a context, cluster, user or
// current-context wins; a file of several that is missing is skipped; paths are relative to the file that
// names them), or finds the pod's own access. InvalidArgument: `file:line: what is wrong, what would be
// right`; NotFound: no file or no such context, with those there are. Reads files: not for the io thread
// while it serves.
[[nodiscard]] absl::StatusOr<Access> find_access(const AccessChoice& choice, const Environment& environment);

// One kubeconfig's text; `path` names it in messages and is what relative paths are relative to.
[[nodiscard]] absl::StatusOr<Access> parse_kubeconfig(const std::string& text, const std::string& path,
                                                      const std::string& context);

}  // namespace waybill::kube
