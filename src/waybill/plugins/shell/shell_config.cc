#include "waybill/plugins/shell/shell_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string_view>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/plugins/context_key.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

using Context = std::optional<json::object>;

std::string shown(const json::value& value) {
  std::string text = json::serialize(value);
  if (text.size() > 100) text = text.substr(0, 100) + "…";
  return text;
}

const json::value* find(const Context& context, std::string_view key) {
  if (!context) return nullptr;
  const json::value* value = context->if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

absl::Status append_words(const json::value* value, std::string_view key, std::vector<std::string>& words) {
  if (value == nullptr) return absl::OkStatus();
  const json::array* list = value->if_array();
  if (list == nullptr)
    return invalid(fmt::format("context.{}: {} is not a list of strings", key, shown(*value)));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json::string* word = (*list)[i].if_string();
    if (word == nullptr)
      return invalid(
          fmt::format("context.{}[{}]: {} is not a string: put it in quotes", key, i, shown((*list)[i])));
    if (word->find('\0') != json::string::npos)
      return invalid(
          fmt::format("context.{}[{}]: {} holds U+0000, which no argument can", key, i, shown((*list)[i])));
    words.emplace_back(word->begin(), word->end());
  }
  return absl::OkStatus();
}

bool is_variable_name(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && (name[0] < '0' || name[0] > '9') &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

// Messages never show the value: it may be a secret.
absl::StatusOr<std::string> variable(std::string_view name, const json::value& value) {
  if (!is_variable_name(name) || name.starts_with("WAYBILL_"))
    return invalid(
        fmt::format("\"{}\" is not a name for a variable: use letters, digits and _, not beginning with a "
                    "digit or WAYBILL_",
                    name));
  if (const json::string* text = value.if_string(); text != nullptr && text->find('\0') == json::string::npos)
    return std::string(text->begin(), text->end());
  // YAML writes PORT: 8080 and DEBUG: true without quotes.
  if (value.is_number() || value.is_bool()) return json::serialize(value);
  return invalid(fmt::format(
      "the value of {} is neither a string (without U+0000) nor a number nor true or false", name));
}

absl::Status merge_environment(const json::value* value, std::map<std::string, std::string>& variables) {
  if (value == nullptr) return absl::OkStatus();
  const json::object* members = value->if_object();
  if (members == nullptr) return invalid("context.env: the value is not a map of names to strings");
  for (const auto& member : *members) {
    const std::string name(member.key());
    absl::StatusOr<std::string> text = variable(name, member.value());
    if (!text.ok()) return prefixed(text.status(), "context.env");
    variables[name] = *std::move(text);
  }
  return absl::OkStatus();
}

absl::Status check_environment(const json::value& value) {
  for (const auto& member : value.get_object()) {
    // Of a reference only the name can be wrong.
    const json::value stand_in = is_secret_reference(member.value()) ? json::value("") : member.value();
    WB_TRY(variable(member.key(), stand_in));
  }
  return absl::OkStatus();
}

absl::Status check_words(const json::value& value) {
  for (const json::value& word : value.get_array()) {
    if (word.is_string() && word.get_string().find('\0') != json::string::npos)
      return invalid(fmt::format("{} holds U+0000, which no argument can", shown(word)));
  }
  return absl::OkStatus();
}

}  // namespace

ports::ExecutorTraits shell_traits() {
  ports::ExecutorTraits traits;
  traits.plugin = "shell";
  traits.host_local = true;
  traits.restartable_start = true;
  traits.outputs = {"exit_code"};
  traits.keys.push_back(context_key("command", ports::ContextType::kStringList, kCatalogLevels,
                                    "The program and its first arguments, no shell in between.",
                                    R"(command: ["/bin/sh", "-c"])"));
  traits.keys.back().check = check_words;
  traits.keys.push_back(context_key("arguments", ports::ContextType::kStringList, kJobLevel,
                                    "Further arguments, appended as they are.",
                                    R"(arguments: ["echo hello"])"));
  traits.keys.back().check = check_words;
  traits.keys.push_back(context_key(
      "env", ports::ContextType::kObject, kCatalogLevels,
      "Variables of the child's environment besides PATH, LANG, HOME and WAYBILL_*.", "env: {TZ: UTC}"));
  traits.keys.back().secret = true;
  traits.keys.back().check = check_environment;
  return traits;
}

absl::StatusOr<ShellPlan> shell_plan(const ports::JobRequest& request) {
  const Context& command = request.command->context;
  const Context& cluster = request.cluster->context;
  ShellPlan plan;
  const json::value* program = find(cluster, "command");
  WB_TRY(append_words(program != nullptr ? program : find(command, "command"), "command", plan.words));
  WB_TRY(append_words(find(request.job.spec.context, "arguments"), "arguments", plan.words));
  std::map<std::string, std::string> variables;
  WB_TRY(merge_environment(find(command, "env"), variables));
  WB_TRY(merge_environment(find(cluster, "env"), variables));
  plan.environment.assign(variables.begin(), variables.end());
  return plan;
}

}  // namespace waybill::plugins
