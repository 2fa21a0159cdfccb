#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "waybill/cli/command.h"
#include "waybill/cli/environment.h"

namespace waybill::cli {

// Which server to speak to, and as whom. Each from the first that says it: flag, environment, profile,
// default.
struct Settings {
  std::string url;          // without a slash at its end and without /api/v1; or "unix:PATH"
  std::string socket = {};  // of unix:PATH, the path; "" : TCP
  std::string url_origin;   // "--url", "WAYBILL_URL", "the profile prod in /…/config.toml", "the default"
  std::string user;
  std::string token;    // "" : none
  std::string ca_file;  // "" : the system's
};

// Reads the profile, too. Errors name the file, the line and the column. A profile file with a token that
// others may read is warned of on environment.err. A token for a server that is neither https nor on this
// machine is refused.
[[nodiscard]] absl::StatusOr<Settings> load_settings(const Invocation& invocation, Environment& environment);

// Where the profiles are: $XDG_CONFIG_HOME/waybill/config.toml or ~/.config/…; "" without a home.
[[nodiscard]] std::string profile_path(const Environment& environment);

// Whether the URL's host is this machine: localhost, 127.x.x.x, [::1].
[[nodiscard]] bool is_loopback_url(const std::string& url);

}  // namespace waybill::cli
