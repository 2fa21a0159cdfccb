#include "waybill/cli/settings.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

#include "waybill/base/file.h"
#include "waybill/base/status.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/text.h"
#include "waybill/cli/toml.h"

namespace waybill::cli {
namespace {

constexpr std::string_view kDefaultUrl = "http://127.0.0.1:9090";
constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kLongestSocket = 107;  // sockaddr_un
constexpr std::size_t kLongestProfiles = 1U << 20U;
constexpr std::array<std::string_view, 4> kProfileKeys = {"url", "user", "token", "ca"};

struct Profile {
  std::string name;  // "" : there is none
  std::string file;
  std::map<std::string, std::string> values;
};

absl::StatusOr<std::map<std::string, std::string>> profile_values(const std::string& file,
                                                                  const TomlTable& table) {
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : table) {
    const bool known = std::find(kProfileKeys.begin(), kProfileKeys.end(), key) != kProfileKeys.end();
    if (!known) {
      return invalid(fmt::format("{}:{}:{}: \"{}\" is no key of a profile (url, user, token or ca)", file,
                                 value.line, value.column, made_visible(key)));
    }
    const std::string* text = std::get_if<std::string>(&value.value);
    if (text == nullptr) {
      return invalid(
          fmt::format("{}:{}:{}: {} must be a string in quotes", file, value.line, value.column, key));
    }
    values.emplace(key, *text);
  }
  return values;
}

absl::StatusOr<std::string> default_profile(const std::string& file, const TomlTable& top) {
  std::string chosen;
  for (const auto& [key, value] : top) {
    const std::string* text = std::get_if<std::string>(&value.value);
    if (key != "profile" || text == nullptr) {
      return invalid(
          fmt::format("{}:{}:{}: only profile = \"NAME\" may stand before the first [profiles.NAME]", file,
                      value.line, value.column));
    }
    chosen = *text;
  }
  return chosen;
}

void warn_if_others_can_read(const std::string& file, Environment& environment) {
  struct stat info{};
  if (stat(file.c_str(), &info) != 0 || (info.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  environment.err << fmt::format("warning: {} holds a token and others may read it: chmod 600 {}\n", file,
                                 file);
}

absl::StatusOr<Profile> load_profile(const Invocation& invocation, Environment& environment) {
  const std::optional<std::string> asked =
      invocation.has("profile") ? invocation.find("profile") : environment.variable("WAYBILL_PROFILE");
  Profile profile{.name = "", .file = profile_path(environment), .values = {}};
  const absl::StatusOr<std::string> text = read_regular_file(profile.file, kLongestProfiles);
  if (!text.ok()) {
    if (!asked) return profile;
    return usage_error(fmt::format("there is no profile \"{}\": {} can't be read", *asked,
                                   profile.file.empty() ? "a config.toml" : profile.file));
  }
  absl::StatusOr<TomlDocument> document = parse_toml(*text);
  if (!document.ok()) return prefixed(document.status(), profile.file);
  WB_ASSIGN(const std::string by_default, default_profile(profile.file, document->at("")));
  const std::string wanted = asked.value_or(by_default);
  for (const auto& [name, table] : *document) {
    if (name.empty()) continue;
    if (!name.starts_with("profiles.")) {
      return invalid(
          fmt::format("{}: [{}] is not known here: write [profiles.NAME]", profile.file, made_visible(name)));
    }
    WB_ASSIGN(auto values, profile_values(profile.file, table));
    if (values.contains("token")) warn_if_others_can_read(profile.file, environment);
    if (name == "profiles." + wanted)
      profile = {.name = wanted, .file = profile.file, .values = std::move(values)};
  }
  if (!wanted.empty() && profile.name.empty()) {
    return usage_error(
        fmt::format("there is no profile \"{}\" in {}: write [profiles.{}]", wanted, profile.file, wanted));
  }
  return profile;
}

struct Found {
  std::string value;
  std::string origin;
};

Found find_setting(const std::string& key, const Invocation& invocation, const Environment& environment,
                   const Profile& profile, std::string_view fallback) {
  if (const auto flag = invocation.find(key)) return {*flag, "--" + key};
  std::string variable = "WAYBILL_" + key;
  std::transform(variable.begin(), variable.end(), variable.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (const auto set = environment.variable(variable)) return {*set, variable};
  const auto found = profile.values.find(key);
  if (found != profile.values.end()) {
    return {found->second, fmt::format("the profile {} in {}", profile.name, profile.file)};
  }
  return {std::string(fallback), "the default"};
}

std::string url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

using CurlUrl = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

CurlUrl parse_url(const std::string& text) {
  CurlUrl url(curl_url(), curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    url.reset();
  return url;
}

// As server.addr has it, and with the slashes of a URL: unix:/run/x, unix:///run/x, unix:x.
std::string socket_of(const std::string& url) {
  if (!url.starts_with(kUnix)) return "";
  std::string path = url.substr(kUnix.size());
  if (path.starts_with("///")) path.erase(0, 2);
  return path;
}

absl::Status check_socket(const Found& setting) {
  const std::string path = socket_of(setting.value);
  if (!path.empty() && path.size() <= kLongestSocket && path.find('\0') == std::string::npos)
    return absl::OkStatus();
  return usage_error(fmt::format("the URL from {} (\"{}\") has no path of a unix socket (1 to {} bytes)",
                                 setting.origin, made_visible(setting.value), kLongestSocket),
                     "write it as unix:/PATH");
}

absl::Status check_url(const Found& setting) {
  if (setting.value.starts_with(kUnix)) return check_socket(setting);
  const std::string shown = made_visible(setting.value);
  const auto bad = [&](std::string_view why) {
    return usage_error(fmt::format("the URL from {} {}", setting.origin, why),
                       "write it as http://HOST:PORT or unix:/PATH");
  };
  const CurlUrl url = parse_url(setting.value);
  if (!url) return bad(fmt::format("(\"{}\") is not a URL", shown));
  const std::string scheme = url_part(url.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return bad(fmt::format("(\"{}\") is neither http nor https", shown));
  if (!url_part(url.get(), CURLUPART_USER).empty() || !url_part(url.get(), CURLUPART_PASSWORD).empty()) {
    return bad("holds a user or password: use WAYBILL_USER and WAYBILL_TOKEN");  // and is not repeated here
  }
  if (setting.value.find_first_of("?#") != std::string::npos) {
    return bad(fmt::format("(\"{}\") has a query or fragment", shown));
  }
  return absl::OkStatus();
}

absl::Status check_header_value(const Found& setting, std::string_view what) {
  const bool control = std::any_of(setting.value.begin(), setting.value.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!control) return absl::OkStatus();
  return usage_error(
      fmt::format("the {} from {} has a line break or control character", what, setting.origin));
}

void trim_url(std::string& url) {
  const auto drop_slashes = [&url] {
    while (url.ends_with('/')) url.pop_back();
  };
  drop_slashes();
  constexpr std::string_view kBase = "/api/v1";
  if (url.ends_with(kBase)) url.resize(url.size() - kBase.size());
  drop_slashes();
}

}  // namespace

std::string profile_path(const Environment& environment) {
  if (const auto base = environment.variable("XDG_CONFIG_HOME")) return *base + "/waybill/config.toml";
  if (const auto home = environment.variable("HOME")) return *home + "/.config/waybill/config.toml";
  return "";
}

bool is_loopback_url(const std::string& text) {
  const CurlUrl url = parse_url(text);
  if (!url) return false;
  const std::string host = url_part(url.get(), CURLUPART_HOST);
  const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || (numeric && host.starts_with("127."));
}

absl::StatusOr<Settings> load_settings(const Invocation& invocation, Environment& environment) {
  WB_ASSIGN(const Profile profile, load_profile(invocation, environment));
  const auto find = [&](const std::string& key, std::string_view fallback) {
    return find_setting(key, invocation, environment, profile, fallback);
  };
  const Found url = find("url", kDefaultUrl);
  WB_TRY(check_url(url));
  const Found user = find("user", environment.login_name);
  WB_TRY(check_header_value(user, "user"));
  const Found token = find("token", "");
  WB_TRY(check_header_value(token, "token"));
  Settings settings{.url = url.value,
                    .socket = socket_of(url.value),
                    .url_origin = url.origin,
                    .user = user.value,
                    .token = token.value,
                    .ca_file = find("ca", "").value};
  if (!settings.socket.empty()) return settings;
  trim_url(settings.url);
  const CurlUrl parsed = parse_url(settings.url);
  const bool is_https = parsed && url_part(parsed.get(), CURLUPART_SCHEME) == "https";
  if (!settings.token.empty() && !is_https && !is_loopback_url(settings.url)) {
    return with_hint(invalid(fmt::format("the token from {} is not sent over plain http to {}", token.origin,
                                         settings.url)),
                     "use an https URL");
  }
  return settings;
}

}  // namespace waybill::cli
