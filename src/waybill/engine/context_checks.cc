#include "waybill/engine/context_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <string_view>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"

namespace waybill::engine {
namespace json = boost::json;

using ports::ContextKey;
using ports::ContextLevel;
using ports::ContextType;

namespace {

bool is_whole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

bool has_type(const json::value& value, ContextType type) {
  switch (type) {
    case ContextType::kString:
      return value.is_string();
    case ContextType::kStringList:
      return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(),
                                             [](const json::value& item) { return item.is_string(); });
    case ContextType::kInteger:
      return is_whole(value);
    case ContextType::kNumber:
      return value.is_number();
    case ContextType::kBool:
      return value.is_bool();
    case ContextType::kObject:
      return value.is_object();
    case ContextType::kAny:
      return true;
  }
  return false;
}

const char* words_for(ContextType type) {
  switch (type) {
    case ContextType::kString:
      return "a string";
    case ContextType::kStringList:
      return "a list of strings";
    case ContextType::kInteger:
      return "a whole number";
    case ContextType::kNumber:
      return "a number";
    case ContextType::kBool:
      return "true or false";
    case ContextType::kObject:
      return "an object";
    case ContextType::kAny:
      return "anything";
  }
  return "anything";
}

class Checker {
 public:
  Checker(const std::vector<ContextKey>& keys, ContextLevel level, const std::vector<std::string>& locked)
      : keys_(keys), level_(level), locked_(locked) {}

  [[nodiscard]] absl::Status object(const json::object& object, const std::string& path,
                                    const ContextKey* around) const {
    for (const auto& member : object) {
      const std::string here =
          path.empty() ? std::string(member.key()) : path + "." + std::string(member.key());
      WB_TRY(value(member.value(), here, around));
    }
    return absl::OkStatus();
  }

 private:
  [[nodiscard]] absl::Status value(const json::value& value, const std::string& path,
                                   const ContextKey* around) const {
    if (std::find(locked_.begin(), locked_.end(), path) != locked_.end()) {
      return invalid(fmt::format("context.{} is locked by the command: leave it out", path));
    }
    const ContextKey* exact = declared(path);
    const ContextKey* rule = exact != nullptr ? exact : around;
    if (has_parts(path) && value.is_object()) return object(value.get_object(), path, rule);
    if (rule == nullptr) {
      if (!has_parts(path)) return absl::OkStatus();
      return invalid(fmt::format("context.{} must be an object", path));
    }
    if ((rule->levels & static_cast<unsigned>(level_)) == 0) return not_at_this_level(path, *rule);
    if (exact == nullptr || is_secret_reference(value) || has_type(value, rule->type))
      return absl::OkStatus();
    return invalid(fmt::format("context.{} must be {}", path, words_for(rule->type)));
  }

  [[nodiscard]] absl::Status not_at_this_level(const std::string& path, const ContextKey& rule) const {
    std::vector<std::string> allowed;
    if ((rule.levels & static_cast<unsigned>(ContextLevel::kCommand)) != 0) allowed.emplace_back("command");
    if ((rule.levels & static_cast<unsigned>(ContextLevel::kCluster)) != 0) allowed.emplace_back("cluster");
    if ((rule.levels & static_cast<unsigned>(ContextLevel::kJob)) != 0) allowed.emplace_back("job");
    const char* level = level_ == ContextLevel::kJob       ? "job"
                        : level_ == ContextLevel::kCluster ? "cluster"
                                                           : "command";
    return invalid(fmt::format("context.{} can't be set by a {}: it is for the {}", path, level,
                               fmt::join(allowed, " or the ")));
  }

  [[nodiscard]] const ContextKey* declared(const std::string& path) const {
    const auto found =
        std::find_if(keys_.begin(), keys_.end(), [&](const ContextKey& key) { return key.name == path; });
    return found == keys_.end() ? nullptr : &*found;
  }
  // Whether members of `path` are declared, or locked, one by one.
  [[nodiscard]] bool has_parts(const std::string& path) const {
    const std::string start = path + ".";
    const auto begins = [&](std::string_view name) { return name.substr(0, start.size()) == start; };
    return std::any_of(keys_.begin(), keys_.end(), [&](const ContextKey& key) { return begins(key.name); }) ||
           std::any_of(locked_.begin(), locked_.end(), begins);
  }

  const std::vector<ContextKey>& keys_;
  ContextLevel level_;
  const std::vector<std::string>& locked_;
};

// How many objects and arrays lie within each other; stops counting past the limit.
std::size_t depth_of(const json::value& value, std::size_t limit) {
  std::size_t deepest = 0;
  if (limit == 0) return value.is_object() || value.is_array() ? 1 : 0;
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value(), limit - 1));
    return deepest + 1;
  }
  if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) deepest = std::max(deepest, depth_of(item, limit - 1));
    return deepest + 1;
  }
  return 0;
}

}  // namespace

absl::Status check_context(const json::object& context, const std::vector<ContextKey>& keys,
                           ContextLevel level, const std::vector<std::string>& locked) {
  return Checker(keys, level, locked).object(context, "", nullptr);
}

absl::Status check_context_depth(const json::object& context, std::size_t limit) {
  std::size_t deepest = 1;
  for (const auto& member : context) deepest = std::max(deepest, 1 + depth_of(member.value(), limit));
  if (deepest <= limit) return absl::OkStatus();
  return invalid(fmt::format("context is nested deeper than {} levels", limit));
}

}  // namespace waybill::engine
