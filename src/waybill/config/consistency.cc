#include "waybill/config/consistency.h"

#include <algorithm>
#include <string>

#include "waybill/config/forms.h"

namespace waybill::config {
namespace {

// Where a setting of a section is, or the section is, or the file begins.
class Places {
 public:
  Places(const Section& root, Report& report) : root_(root), report_(report) {}

  // `needed_by` is where it is told of if neither the setting nor its section is in the file.
  void mistake(const Section& section, const std::string& name, std::string text,
               const YamlNode* needed_by = nullptr) {
    const bool elsewhere = needed_by != nullptr && section.at(name).node == nullptr && !section.given();
    report_.mistake(elsewhere ? *needed_by : at(section, name), section.path_of(name), std::move(text));
  }
  void warning(const Section& section, const std::string& name, std::string text) {
    report_.warning(at(section, name), section.path_of(name), std::move(text));
  }

 private:
  [[nodiscard]] const YamlNode& at(const Section& section, const std::string& name) const {
    if (section.at(name).node != nullptr) return *section.at(name).node;
    if (section.node != nullptr) return *section.node;
    return root_.node != nullptr ? *root_.node : start_;
  }

  const Section& root_;
  Report& report_;
  YamlNode start_;
};

void check_tls(const Section& server, const Config& config, Places& places) {
  const Section& tls = server.sections.at("tls");
  const Tls& given = config.server.tls;
  if (given.cert.empty() != given.key.empty()) {
    const bool needs_key = given.key.empty();
    places.mistake(tls, needs_key ? "key" : "cert",
                   std::string("it is missing: server.tls.") + (needs_key ? "cert" : "key") + " needs it");
  }
  if (!given.client_ca.empty() && given.cert.empty()) {
    places.mistake(tls, "client_ca", "it has no effect without TLS: set server.tls.cert and server.tls.key");
  }
}

void check_auth(const Section& auth, const Config& config, Places& places) {
  if (config.auth.mode == AuthMode::kOidc) {
    const Section& oidc = auth.sections.at("oidc");
    for (const char* name : {"issuer", "audience", "jwks_uri"}) {
      if (!oidc.text(name).empty()) continue;
      places.mistake(oidc, name, "it is missing: auth.mode oidc needs it", auth.at("mode").node);
    }
  }
  if (config.auth.mode == AuthMode::kMtls && config.server.tls.client_ca.empty()) {
    places.mistake(auth, "mode", "mtls needs server.tls.client_ca, which is not set");
  }
}

bool trusts_a_proxy(const Section& auth) { return auth.at("trusted_proxies").node != nullptr; }

}  // namespace

bool shell_is_safe(const Config& config) {
  return !config.shell_run_as.empty() || is_local_address(config.server.addr);
}

void check_consistency(const Section& root, const Config& config, Report& report) {
  Places places(root, report);
  const Section& server = root.sections.at("server");
  const Section& auth = root.sections.at("auth");
  check_tls(server, config, places);
  check_auth(auth, config, places);
  if (config.server.addr.empty()) {
    places.mistake(server, "addr", "it is empty: it must be HOST:PORT, :PORT, [V6]:PORT or unix:/PATH");
  }
  if (is_local_address(config.server.addr)) return;

  if (config.auth.mode == AuthMode::kHeader && config.server.tls.cert.empty() && !trusts_a_proxy(auth)) {
    places.warning(server, "addr",
                   "the server listens beyond this machine without TLS and without auth.trusted_proxies: "
                   "callers from elsewhere will not be believed");
  }
  const bool has_shell = std::any_of(config.base.commands.begin(), config.base.commands.end(),
                                     [](const auto& command) { return command.second->plugin == "shell"; });
  if (!has_shell || shell_is_safe(config)) return;
  const std::string text =
      "the server listens beyond this machine and has shell commands: name the user that they run as";
  // A file of Heimdall's, which has no such setting, still loads.
  if (!config.auth.plugin.empty()) {
    places.warning(root.sections.at("shell"), "run_as", text);
  } else {
    places.mistake(root.sections.at("shell"), "run_as", text);
  }
}

}  // namespace waybill::config
