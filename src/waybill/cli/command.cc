#include "waybill/cli/command.h"

#include <absl/strings/numbers.h>

#include <algorithm>

namespace waybill::cli {

std::optional<std::string> Invocation::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::string Invocation::text(const std::string& name, std::string_view fallback) const {
  return find(name).value_or(std::string(fallback));
}

std::int64_t Invocation::number(const std::string& name, std::int64_t fallback) const {
  const std::optional<std::string> given = find(name);
  std::int64_t parsed = 0;
  return given && absl::SimpleAtoi(*given, &parsed) ? parsed : fallback;
}

const std::vector<std::string>& Invocation::all(const std::string& name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

std::string Command::name() const {
  std::string joined;
  for (const std::string& word : path) joined += joined.empty() ? word : " " + word;
  return joined;
}

const Group* CommandTree::group(std::string_view name) const {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

std::vector<const Command*> CommandTree::below(const std::vector<std::string>& path) const {
  std::vector<const Command*> found;
  for (const Command& command : commands) {
    if (command.path.size() < path.size()) continue;
    if (std::equal(path.begin(), path.end(), command.path.begin())) found.push_back(&command);
  }
  return found;
}

const std::vector<Flag>& common_flags() {
  static const std::vector<Flag> kFlags = {
      {.name = "output",
       .letter = 'o',
       .value = "FORM",
       .help = "how to print: table, wide, json, jsonl, yaml or name",
       .choices = {"table", "wide", "json", "jsonl", "yaml", "name"}},
      {.name = "no-headers", .help = "tables without the line of titles"},
      {.name = "utc", .help = "times in UTC instead of ages"},
      {.name = "absolute", .help = "times on this machine's clock instead of ages"},
      {.name = "url",
       .value = "URL",
       .help = "the server, also unix:/PATH (WAYBILL_URL; default http://127.0.0.1:9090)"},
      {.name = "user", .value = "NAME", .help = "the caller's name (WAYBILL_USER; default the login name)"},
      {.name = "token",
       .value = "TOKEN",
       .help = "a bearer token (better in WAYBILL_TOKEN: others can see flags)"},
      {.name = "profile", .value = "NAME", .help = "a profile of config.toml (WAYBILL_PROFILE)"},
      {.name = "ca",
       .value = "FILE",
       .help = "certificates to trust, as PEM (WAYBILL_CA)",
       .type = ValueType::kFile},
  };
  return kFlags;
}

}  // namespace waybill::cli
