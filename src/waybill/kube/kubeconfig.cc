#include "waybill/kube/kubeconfig.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <utility>

#include "waybill/base/file.h"
#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/kube/kubeconfig_file.h"

namespace waybill::kube {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

std::string home_of(const Environment& environment) { return environment("HOME").value_or(""); }

std::string without_tilde(const std::string& path, const Environment& environment) {
  if (path == "~" || path.starts_with("~/")) return home_of(environment) + path.substr(1);
  return path;
}

absl::StatusOr<std::string> read_text(const std::string& path) {
  std::error_code problem;
  if (!fs::exists(path, problem)) return not_found(path + ": there is no such kubeconfig");
  return read_file_of("the kubeconfig", path, kMostBytes);
}

std::vector<std::string> paths_of(const AccessChoice& choice, const Environment& environment) {
  if (!choice.kubeconfig.empty()) return {without_tilde(choice.kubeconfig, environment)};
  const std::string variable = environment("KUBECONFIG").value_or("");
  std::vector<std::string> paths;
  std::istringstream rest(variable);
  for (std::string path; std::getline(rest, path, ':');) {
    if (!path.empty()) paths.push_back(without_tilde(path, environment));
  }
  if (paths.empty()) paths.push_back(home_of(environment) + "/.kube/config");
  return paths;
}

absl::StatusOr<Access> in_cluster(const AccessChoice& choice, const Environment& environment) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty())
    return conflict(
        "in_cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod; "
        "name a kubeconfig instead");
  Access access;
  access.server = host.find(':') == std::string::npos ? fmt::format("https://{}:{}", host, port)
                                                      : fmt::format("https://[{}]:{}", host, port);
  access.token_file = choice.service_account + "/token";
  access.ca_file = choice.service_account + "/ca.crt";
  access.source = "the pod's service account";
  WB_TRY(read_secret_file(access.token_file));
  WB_TRY(read_secret_file(access.ca_file));
  if (const auto name_space = read_secret_file(choice.service_account + "/namespace"); name_space.ok()) {
    access.name_space = std::string(absl::StripAsciiWhitespace(*name_space));
  }
  return access;
}

}  // namespace

absl::StatusOr<Access> find_access(const AccessChoice& choice, const Environment& environment) {
  if (choice.in_cluster) return in_cluster(choice, environment);
  const std::vector<std::string> paths = paths_of(choice, environment);
  Kubeconfig merged;
  std::size_t found = 0;
  absl::Status missing;
  for (const std::string& path : paths) {
    const auto text = read_text(path);
    if (absl::IsNotFound(text.status())) {
      missing = text.status();
      continue;
    }
    WB_TRY(text);
    WB_TRY(merged.add(*text, path));
    ++found;
  }
  if (found == 0) return missing;
  return merged.access(choice.context);
}

absl::StatusOr<Access> parse_kubeconfig(const std::string& text, const std::string& path,
                                        const std::string& context) {
  Kubeconfig config;
  WB_TRY(config.add(text, path));
  return config.access(context);
}

}  // namespace waybill::kube
