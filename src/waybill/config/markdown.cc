#include <absl/strings/str_replace.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "waybill/config/context_value.h"
#include "waybill/config/load.h"
#include "waybill/config/schema.h"
#include "waybill/config/yaml_text.h"

namespace waybill::config {
namespace {

constexpr std::string_view kStart = R"(# Configuration

This page is generated from the schema in `src/waybill/config`; do not edit it.

`waybill serve --config FILE` reads one YAML file; `waybill config check FILE` does all of its checks without
starting anything, `waybill config show` prints what counts and where each value came from. Everything has a default:
without a file the server runs on SQLite with one `localhost` cluster and the commands `ping` and `shell`. A file
written for Heimdall loads as it is.

- The schema is closed. An unknown key, a wrong type, a value out of bounds, a doubled key or id, a reference to what
  is not there, a pattern or template that does not parse: the start is refused, with every mistake listed as
  `file:line:col: path: what is wrong, what is allowed`.
- `${env:NAME}` and `${env:NAME:-default}` are replaced inside values; the default counts where the variable is not
  set or empty. Any other `${…}` stays as it is.
- `!file PATH` and `!env NAME` are secrets. In a context they stay references until a job uses them. A relative path
  is taken from the folder that the server was started in.
- SIGHUP, or `POST /api/v1/admin/reload`, loads the file again. Settings marked "restart" keep their old value until
  the server is started again; a file that is wrong changes nothing.
)";

std::string cell(std::string_view text) {
  return absl::StrReplaceAll(std::string(text), {{"|", "\\|"}, {"\n", " "}});
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string_view type_word(Type type) {
  switch (type) {
    case Type::kString:
      return "text";
    case Type::kSecret:
      return "secret text";
    case Type::kInteger:
      return "whole number";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "true or false";
    case Type::kWord:
      return "word";
    case Type::kStrings:
      return "list of texts";
    case Type::kWords:
      return "list of words";
    case Type::kPatterns:
      return "list of patterns";
    case Type::kTexts:
      return "mapping of texts";
    case Type::kObject:
      return "mapping";
  }
  return "";
}

// What is allowed, where the type alone doesn't say it.
std::string rule(const Setting& setting) {
  switch (setting.type) {
    case Type::kBoolean:
    case Type::kPatterns:
    case Type::kTexts:
    case Type::kObject:
      return std::string(type_word(setting.type));
    case Type::kString:
    case Type::kSecret:
    case Type::kStrings:
      if (setting.form == Form::kAny) return std::string(type_word(setting.type));
      return allowed(setting);
    default:
      return allowed(setting);
  }
}

std::string default_text(const Setting& setting) {
  if (setting.required) return "required";
  if (std::holds_alternative<std::monostate>(setting.fallback)) return "";
  if (const auto* text = std::get_if<std::string>(&setting.fallback); text && text->empty()) return "empty";
  return code(yaml_text(setting.fallback));
}

std::string_view first_part(std::string_view name) { return name.substr(0, name.find_first_of(".[")); }

bool is_single(const Setting& setting) { return setting.name.find('.') == std::string::npos; }

void write_rows(const std::vector<const Setting*>& settings, std::string& out) {
  out += "\n| key | default | allowed | restart | meaning | example |\n|---|---|---|---|---|---|\n";
  for (const Setting* one : settings) {
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", one->name, default_text(*one), cell(rule(*one)),
                       one->restart ? "yes" : "", cell(one->what), code(one->example));
  }
}

std::string levels_text(unsigned levels) {
  std::string out;
  const auto add = [&](ports::ContextLevel level, std::string_view word) {
    if ((levels & static_cast<unsigned>(level)) != 0) out += (out.empty() ? "" : ", ") + std::string(word);
  };
  add(ports::ContextLevel::kCommand, "command");
  add(ports::ContextLevel::kCluster, "cluster");
  add(ports::ContextLevel::kJob, "job");
  return out;
}

}  // namespace

std::string generate_markdown() {
  std::string out(kStart);
  std::vector<const Setting*> single;
  std::vector<std::pair<std::string, std::vector<const Setting*>>> groups;
  for (const Setting& setting : schema()) {
    if (is_single(setting)) {
      single.push_back(&setting);
      continue;
    }
    const std::string group(first_part(setting.name));
    if (groups.empty() || groups.back().first != group) groups.push_back({group, {}});
    groups.back().second.push_back(&setting);
  }
  out += "\n## Settings of their own\n";
  write_rows(single, out);
  for (const auto& [name, settings] : groups) {
    out += fmt::format("\n## {}\n", name);
    const std::string_view text = section_text(name);
    if (!text.empty()) out += fmt::format("{}\n", text);
    write_rows(settings, out);
  }
  return out;
}

std::string generate_plugins_markdown(const std::map<std::string, ports::ExecutorTraits>& plugins) {
  std::string out =
      "# Plugins\n\nThis page is generated from what the executors declare; do not edit it.\n\nContext keys "
      "come from "
      "the command, the cluster and the job, in that order; the later wins. Other keys are passed through to "
      "templates.\n";
  for (const auto& [name, traits] : plugins) {
    out += fmt::format("\n## {}\n", name);
    if (!traits.keys.empty()) {
      out += "\n| key | type | set by | secret | meaning | example |\n|---|---|---|---|---|---|\n";
    }
    for (const ports::ContextKey& key : traits.keys) {
      out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, to_string(key.type),
                         levels_text(key.levels), key.secret ? "yes" : "", cell(key.what), code(key.example));
    }
    std::string outputs;
    for (const std::string& one : traits.outputs) outputs += (outputs.empty() ? "" : ", ") + code(one);
    if (!outputs.empty()) out += fmt::format("\nOutputs: {}\n", outputs);
  }
  return out;
}

}  // namespace waybill::config
