#include "waybill/kube/kubeconfig_file.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_join.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::kube {
namespace fs = std::filesystem;

// Reads one file's YAML. Unknown keys are left alone, as kubectl does; what is known must have its type.
class KubeconfigReader {
 public:
  KubeconfigReader(Kubeconfig& into, const std::string& path) : config_(into), path_(path) {}

  absl::Status read(const YAML::Node& root) {
    if (!root.IsMap()) return wrong(root, "a kubeconfig must be a mapping with clusters, users and contexts");
    WB_TRY(entries(root, "clusters", "cluster",
                   [this](const YAML::Node& body, const std::string& name) { return cluster(body, name); }));
    WB_TRY(entries(root, "users", "user",
                   [this](const YAML::Node& body, const std::string& name) { return user(body, name); }));
    WB_TRY(entries(root, "contexts", "context",
                   [this](const YAML::Node& body, const std::string& name) { return context(body, name); }));
    std::string current;
    WB_TRY(text(root, "current-context", current));
    if (config_.current_.empty() && !current.empty()) {
      config_.current_ = current;
      config_.current_place_ = place(root["current-context"]);
    }
    return absl::OkStatus();
  }

 private:
  [[nodiscard]] Kubeconfig::Place place(const YAML::Node& node) const {
    return {path_, node.Mark().line + 1};
  }
  [[nodiscard]] absl::Status wrong(const YAML::Node& node, std::string_view what) const {
    return invalid(fmt::format("{}:{}: {}", path_, node.Mark().line + 1, what));
  }

  template <class Each>
  absl::Status entries(const YAML::Node& root, const char* list, const char* body, Each each) {
    const YAML::Node found = root[list];
    if (!found || found.IsNull()) return absl::OkStatus();
    if (!found.IsSequence()) return wrong(found, fmt::format("{} must be a list", list));
    for (const YAML::Node& entry : found) {
      if (!entry.IsMap())
        return wrong(entry, fmt::format("an entry of {} must be a mapping with name and {}", list, body));
      std::string name;
      WB_TRY(text(entry, "name", name));
      if (name.empty()) return wrong(entry, fmt::format("an entry of {} has no name", list));
      const YAML::Node content = entry[body];
      if (!content || !content.IsMap())
        return wrong(entry, fmt::format("\"{}\" of {} has no mapping \"{}\"", name, list, body));
      WB_TRY(each(content, name));
    }
    return absl::OkStatus();
  }

  absl::Status text(const YAML::Node& map, const char* key, std::string& into) const {
    const YAML::Node node = map[key];
    if (!node || node.IsNull()) return absl::OkStatus();
    if (!node.IsScalar()) return wrong(node, fmt::format("{} must be text", key));
    into = node.Scalar();
    return absl::OkStatus();
  }
  absl::Status flag(const YAML::Node& map, const char* key, bool& into) const {
    const YAML::Node node = map[key];
    if (!node || node.IsNull()) return absl::OkStatus();
    if (!node.IsScalar() || !YAML::convert<bool>::decode(node, into))
      return wrong(node, fmt::format("{} must be true or false", key));
    return absl::OkStatus();
  }
  // Relative to the folder of this file.
  absl::Status file(const YAML::Node& map, const char* key, std::string& into) const {
    WB_TRY(text(map, key, into));
    if (!into.empty() && fs::path(into).is_relative())
      into = (fs::path(path_).parent_path() / into).lexically_normal().string();
    return absl::OkStatus();
  }
  absl::Status base64(const YAML::Node& map, const char* key, std::string& into) const {
    std::string encoded;
    WB_TRY(text(map, key, encoded));
    if (encoded.empty()) return absl::OkStatus();
    std::erase_if(encoded, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
    if (!absl::Base64Unescape(encoded, &into)) return wrong(map[key], fmt::format("{} is not base64", key));
    if (into.find("-----BEGIN ") == std::string::npos)
      return wrong(map[key], fmt::format("{} is not PEM in base64", key));
    return absl::OkStatus();
  }

  absl::Status cluster(const YAML::Node& body, const std::string& name) {
    Kubeconfig::Part part;
    part.place = place(body);
    Access& access = part.access;
    WB_TRY(text(body, "server", access.server));
    WB_TRY(check_server(body, access.server));
    WB_TRY(text(body, "tls-server-name", access.tls_server_name));
    WB_TRY(flag(body, "insecure-skip-tls-verify", access.insecure_skip_tls_verify));
    WB_TRY(file(body, "certificate-authority", access.ca_file));
    WB_TRY(base64(body, "certificate-authority-data", access.ca_data));
    WB_TRY(text(body, "proxy-url", access.proxy_url));
    if (access.insecure_skip_tls_verify && (!access.ca_file.empty() || !access.ca_data.empty()))
      return wrong(body["insecure-skip-tls-verify"],
                   "insecure-skip-tls-verify and a certificate authority exclude each other; leave one out");
    if (!access.proxy_url.empty()) {
      WB_TRY(check_proxy(body["proxy-url"], access.proxy_url));
    }
    config_.clusters_.try_emplace(name, std::move(part));
    return absl::OkStatus();
  }

  absl::Status check_server(const YAML::Node& body, std::string& server) const {
    const YAML::Node where = body["server"] ? body["server"] : body;
    while (server.ends_with('/')) server.pop_back();
    const auto url = boost::urls::parse_uri(server);
    const bool right = url.has_value() && (url->scheme() == "https" || url->scheme() == "http") &&
                       !url->host().empty() && !url->has_userinfo() && !url->has_query() &&
                       !url->has_fragment();
    return right ? absl::OkStatus() : wrong(where, "server must be https://HOST[:PORT][/PATH]");
  }
  absl::Status check_proxy(const YAML::Node& node, const std::string& proxy) const {
    const auto url = boost::urls::parse_uri(proxy);
    constexpr std::string_view kSchemes[] = {"http", "https", "socks5", "socks5h"};
    const bool right = url.has_value() && !url->host().empty() &&
                       std::any_of(std::begin(kSchemes), std::end(kSchemes), [&](std::string_view scheme) {
                         return scheme == std::string_view(url->scheme().data(), url->scheme().size());
                       });
    return right ? absl::OkStatus() : wrong(node, "proxy-url must be an URL of http, https or socks5");
  }

  absl::Status user(const YAML::Node& body, const std::string& name) {
    Kubeconfig::Part part;
    part.place = place(body);
    Access& access = part.access;
    WB_TRY(file(body, "client-certificate", access.client_certificate_file));
    WB_TRY(base64(body, "client-certificate-data", access.client_certificate_data));
    WB_TRY(file(body, "client-key", access.client_key_file));
    WB_TRY(base64(body, "client-key-data", access.client_key_data));
    WB_TRY(text(body, "token", access.token));
    WB_TRY(file(body, "tokenFile", access.token_file));
    WB_TRY(text(body, "username", access.username));
    WB_TRY(text(body, "password", access.password));
    const bool certificate =
        !access.client_certificate_file.empty() || !access.client_certificate_data.empty();
    const bool key = !access.client_key_file.empty() || !access.client_key_data.empty();
    if (certificate != key)
      return wrong(body, fmt::format("user \"{}\" has only one of client certificate and key", name));
    if (body["auth-provider"])
      return wrong(body["auth-provider"],
                   "auth-provider is no longer supported by Kubernetes; use exec with the provider's plugin");
    if (body["exec"]) {
      WB_TRY(exec(body["exec"], access));
    }
    config_.users_.try_emplace(name, std::move(part));
    return absl::OkStatus();
  }

  absl::Status exec(const YAML::Node& body, Access& access) const {
    if (!body.IsMap()) return wrong(body, "exec must be a mapping with apiVersion and command");
    ExecPlugin plugin;
    WB_TRY(text(body, "apiVersion", plugin.api_version));
    WB_TRY(text(body, "command", plugin.command));
    WB_TRY(text(body, "installHint", plugin.install_hint));
    WB_TRY(flag(body, "provideClusterInfo", plugin.provide_cluster_info));
    if (plugin.api_version != "client.authentication.k8s.io/v1" &&
        plugin.api_version != "client.authentication.k8s.io/v1beta1")
      return wrong(body, "exec.apiVersion must be client.authentication.k8s.io/v1 or v1beta1");
    if (plugin.command.empty()) return wrong(body, "exec has no command");
    std::string mode;
    WB_TRY(text(body, "interactiveMode", mode));
    if (mode == "Always") return wrong(body, "exec.interactiveMode Always cannot be used by a server");
    // A path is relative to this file; a bare name is looked up in PATH.
    if (plugin.command.find('/') != std::string::npos) {
      WB_TRY(file(body, "command", plugin.command));
    }
    if (body["args"] && !body["args"].IsNull()) {
      if (!body["args"].IsSequence()) return wrong(body["args"], "exec.args must be a list");
      for (const YAML::Node& argument : body["args"]) {
        if (!argument.IsScalar()) return wrong(argument, "exec.args must be a list of texts");
        plugin.args.push_back(argument.Scalar());
      }
    }
    if (body["env"] && !body["env"].IsNull()) {
      if (!body["env"].IsSequence()) return wrong(body["env"], "exec.env must be a list of name and value");
      for (const YAML::Node& variable : body["env"]) {
        std::string name;
        std::string value;
        if (!variable.IsMap()) return wrong(variable, "exec.env must be a list of name and value");
        WB_TRY(text(variable, "name", name));
        WB_TRY(text(variable, "value", value));
        if (name.empty() || name.find('=') != std::string::npos)
          return wrong(variable, "a variable of exec.env needs a name without \"=\"");
        plugin.env.emplace_back(std::move(name), std::move(value));
      }
    }
    access.exec = std::move(plugin);
    return absl::OkStatus();
  }

  absl::Status context(const YAML::Node& body, const std::string& name) {
    Kubeconfig::Context context;
    context.place = place(body);
    WB_TRY(text(body, "cluster", context.cluster));
    WB_TRY(text(body, "user", context.user));
    WB_TRY(text(body, "namespace", context.name_space));
    config_.contexts_.try_emplace(name, std::move(context));
    return absl::OkStatus();
  }

  Kubeconfig& config_;
  const std::string& path_;
};

namespace {

template <class Map>
std::string names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : map) names.push_back(name);
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

}  // namespace

absl::Status Kubeconfig::add(const std::string& text, const std::string& path) {
  if (first_path_.empty()) first_path_ = path;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return absl::OkStatus();  // kubectl takes an empty file too
    return KubeconfigReader(*this, path).read(root);
  } catch (const YAML::Exception& problem) {
    return invalid(fmt::format("{}:{}: not YAML: {}", path, problem.mark.line + 1, problem.msg));
  }
}

absl::StatusOr<Access> Kubeconfig::access(const std::string& wanted) const {
  const std::string name = wanted.empty() ? current_ : wanted;
  if (name.empty())
    return conflict(fmt::format("{}: no current-context is set; name one of the contexts: {}", first_path_,
                                names_of(contexts_)));
  const auto context = contexts_.find(name);
  if (context == contexts_.end())
    return not_found(fmt::format("{}: there is no context \"{}\"; the contexts are: {}",
                                 wanted.empty() ? current_place_.path : first_path_, name,
                                 names_of(contexts_)));
  const auto at = [&](const std::string& what) {
    return invalid(fmt::format("{}:{}: context \"{}\": {}", context->second.place.path,
                               context->second.place.line, name, what));
  };
  const auto cluster = clusters_.find(context->second.cluster);
  if (cluster == clusters_.end())
    return at(fmt::format("there is no cluster \"{}\"; the clusters are: {}", context->second.cluster,
                          names_of(clusters_)));
  Access access = cluster->second.access;
  if (!context->second.user.empty()) {
    const auto user = users_.find(context->second.user);
    if (user == users_.end())
      return at(
          fmt::format("there is no user \"{}\"; the users are: {}", context->second.user, names_of(users_)));
    const Access& proof = user->second.access;
    access.client_certificate_file = proof.client_certificate_file;
    access.client_certificate_data = proof.client_certificate_data;
    access.client_key_file = proof.client_key_file;
    access.client_key_data = proof.client_key_data;
    access.token = proof.token;
    access.token_file = proof.token_file;
    access.username = proof.username;
    access.password = proof.password;
    access.exec = proof.exec;
  }
  if (!context->second.name_space.empty()) access.name_space = context->second.name_space;
  access.source = fmt::format("context \"{}\" of {}", name, context->second.place.path);
  return access;
}

}  // namespace waybill::kube
