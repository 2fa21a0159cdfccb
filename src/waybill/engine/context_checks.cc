#include "waybill/engine/context_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string_view>

#include "waybill/base/status.h"
#include "waybill/config/context_value.h"

namespace waybill::engine {
namespace json = boost::json;

using ports::ContextKey;
using ports::ContextLevel;

namespace {

class Checker {
 public:
  Checker(const ports::ExecutorTraits& traits, ContextLevel level, const std::vector<std::string>& locked)
      : traits_(traits), keys_(traits.keys), level_(level), locked_(locked) {}

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
    if (exact == nullptr) return absl::OkStatus();
    const absl::Status fits = config::check_context_value(value, *exact, traits_.plugin);
    return fits.ok() ? fits : prefixed(fits, "context." + path);
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

  const ports::ExecutorTraits& traits_;
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

absl::Status check_context(const json::object& context, const ports::ExecutorTraits& traits,
                           ContextLevel level, const std::vector<std::string>& locked) {
  return Checker(traits, level, locked).object(context, "", nullptr);
}

absl::Status check_context_depth(const json::object& context, std::size_t limit) {
  std::size_t deepest = 1;
  for (const auto& member : context) deepest = std::max(deepest, 1 + depth_of(member.value(), limit));
  if (deepest <= limit) return absl::OkStatus();
  return invalid(fmt::format("context is nested deeper than {} levels", limit));
}

absl::Status check_cluster_context(const json::object& context, const ports::ExecutorTraits& traits) {
  for (const ContextKey& key : traits.keys) {
    if ((key.levels & static_cast<unsigned>(ContextLevel::kCluster)) == 0) continue;
    const json::value* value = context.if_contains(key.name);
    if (value == nullptr) continue;
    const absl::Status fits = config::check_context_value(*value, key, traits.plugin);
    if (!fits.ok()) return prefixed(fits, "context." + key.name);
  }
  return absl::OkStatus();
}

}  // namespace waybill::engine
