#include "waybill/plugins/kubernetes/context_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/config/context_value.h"

namespace waybill::plugins {
namespace json = boost::json;

const json::value* ContextReader::find(Level level, std::string_view key) const {
  const std::optional<json::object>* context = level == Level::kCommand   ? &request_.command->context
                                               : level == Level::kCluster ? &request_.cluster->context
                                                                          : &request_.job.spec.context;
  if (!*context) return nullptr;
  const json::object* object = &**context;
  const std::size_t dot = key.find('.');
  if (dot != std::string_view::npos) {
    const json::value* around = object->if_contains(json::string_view(key.data(), dot));
    object = around == nullptr ? nullptr : around->if_object();
    key.remove_prefix(dot + 1);
  }
  const json::value* value =
      object == nullptr ? nullptr : object->if_contains(json::string_view(key.data(), key.size()));
  return value == nullptr || value->is_null() ? nullptr : value;
}

absl::Status ContextReader::check(const ports::ExecutorTraits& traits) const {
  for (const ports::ContextKey& key : traits.keys) {
    for (const Level level : {Level::kCommand, Level::kCluster, Level::kJob}) {
      const json::value* value = find(level, key.name);
      if (value == nullptr || (key.levels & static_cast<unsigned>(level)) == 0) continue;
      const absl::Status fits = config::check_context_value(*value, key, traits.plugin);
      if (!fits.ok()) return prefixed(fits, "context." + key.name);
    }
  }
  return absl::OkStatus();
}

std::string ContextReader::catalog_text(std::string_view key) const {
  const json::value* value = find(Level::kCluster, key);
  if (value == nullptr) value = find(Level::kCommand, key);
  return value == nullptr || !value->is_string() ? "" : std::string(value->get_string());
}

std::vector<std::string> ContextReader::list(Level level, std::string_view key) const {
  std::vector<std::string> words;
  const json::value* value = find(level, key);
  if (value == nullptr || !value->is_array()) return words;
  for (const json::value& word : value->get_array()) {
    if (word.is_string()) words.emplace_back(word.get_string());
  }
  return words;
}

absl::StatusOr<std::map<std::string, std::string>> ContextReader::texts(Level level,
                                                                        std::string_view key) const {
  const json::value* value = find(level, key);
  if (value == nullptr) return std::map<std::string, std::string>();
  return texts_of(*value, fmt::format("context.{}", key));
}

bool ContextReader::flag(std::string_view key) const {
  for (const Level level : {Level::kJob, Level::kCluster, Level::kCommand}) {
    const json::value* value = find(level, key);
    if (value != nullptr) return value->is_bool() && value->get_bool();
  }
  return false;
}

absl::StatusOr<std::map<std::string, std::string>> texts_of(const json::value& value,
                                                            std::string_view where) {
  std::map<std::string, std::string> texts;
  const json::object* members = value.if_object();
  if (members == nullptr) return invalid(fmt::format("{}: it must be a mapping", where));
  for (const auto& member : *members) {
    const std::string name(member.key());
    if (member.value().is_string()) {
      texts[name] = std::string(member.value().get_string());
    } else if (member.value().is_number() || member.value().is_bool()) {
      texts[name] = json::serialize(member.value());
    } else if (is_secret_reference(member.value())) {
      texts[name] = "";  // only checked, not yet run: its text comes then
    } else {
      return invalid(fmt::format("{}.{}: it must be a text, a number, true or false", where, name));
    }
  }
  return texts;
}

bool matches_any(std::string_view word, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [word](std::string_view pattern) {
    if (!pattern.ends_with('*')) return word == pattern;
    pattern.remove_suffix(1);
    return word.starts_with(pattern);
  });
}

std::string with_values(std::string text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find("${", at);
    const std::size_t end = begin == std::string::npos ? begin : text.find('}', begin);
    if (end == std::string::npos) break;
    const auto value = values.find(text.substr(begin + 2, end - begin - 2));
    out += text.substr(at, begin - at);
    out += value == values.end() ? text.substr(begin, end + 1 - begin) : value->second;
    at = end + 1;
  }
  return out + text.substr(at);
}

}  // namespace waybill::plugins
