#include "waybill/engine/submit_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "waybill/base/go_json.h"
#include "waybill/base/json.h"
#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/engine/context_checks.h"
#include "waybill/engine/limits.h"

namespace waybill::engine {
namespace json = boost::json;
namespace {

constexpr int kHighestPriority = 100;

absl::Status check_numbers(const domain::JobSpec& spec, const domain::Caller& caller) {
  if (spec.priority < -kHighestPriority || spec.priority > kHighestPriority) {
    return invalid(fmt::format("priority is {}: it must be {} to {}", spec.priority, -kHighestPriority,
                               kHighestPriority));
  }
  if (spec.priority > 0 && !caller.is_admin) {
    return denied(fmt::format("priority is {}: above 0 is for admins only", spec.priority));
  }
  return check_runs(spec.timeout, spec.max_attempts);
}

json::value words_json(const std::optional<std::vector<std::string>>& words) {
  return words ? json::value(json::array(words->begin(), words->end())) : json::value(nullptr);
}

}  // namespace

absl::Status check_spec(const domain::JobSpec& spec, const EngineOptions& options,
                        const domain::Caller& caller) {
  WB_TRY(check_text("name", spec.name, options.name_bytes));
  WB_TRY(check_text("version", spec.version, options.name_bytes));
  WB_TRY(check_text("queue", spec.queue, options.name_bytes));
  WB_TRY(check_words("tags", spec.tags, options));
  if (spec.command_criteria) {
    WB_TRY(check_words("command_criteria", *spec.command_criteria, options));
  }
  if (spec.cluster_criteria) {
    WB_TRY(check_words("cluster_criteria", *spec.cluster_criteria, options));
  }
  WB_TRY(check_numbers(spec, caller));
  if (!spec.context) return absl::OkStatus();
  WB_TRY(check_context_depth(*spec.context, options.context_depth));
  if (holds_secret_reference(json::value(*spec.context))) {
    return invalid("context: \"$secret\" is for the config file only");
  }
  return absl::OkStatus();
}

domain::JobSpec normalized(domain::JobSpec spec, const domain::Caller& caller) {
  spec.user = caller.name;
  spec.tags = domain::sorted_unique(std::move(spec.tags));
  if (spec.command_criteria) spec.command_criteria = domain::sorted_unique(*std::move(spec.command_criteria));
  if (spec.cluster_criteria) spec.cluster_criteria = domain::sorted_unique(*std::move(spec.cluster_criteria));
  return spec;
}

domain::JobSpec with_defaults_of(domain::JobSpec spec, const domain::Command& command) {
  if (command.timeout > absl::ZeroDuration()) {
    spec.timeout =
        spec.timeout > absl::ZeroDuration() ? std::min(spec.timeout, command.timeout) : command.timeout;
  }
  if (spec.max_attempts <= 1) spec.max_attempts = std::max(1, command.max_attempts);
  return spec;
}

std::string request_hash(const domain::JobSpec& spec) {
  json::value context = spec.context ? json::value(*spec.context) : json::value(nullptr);
  as_go_numbers(context);
  json::object request{{"name", spec.name},
                       {"version", spec.version},
                       {"description", spec.description},
                       {"tags", words_json(spec.tags)},
                       {"context", std::move(context)},
                       {"command_criteria", words_json(spec.command_criteria)},
                       {"cluster_criteria", words_json(spec.cluster_criteria)},
                       {"store_result_sync", spec.store_result_sync},
                       {"queue", spec.queue},
                       {"priority", spec.priority},
                       {"timeout_ms", absl::ToInt64Milliseconds(spec.timeout)},
                       {"max_attempts", spec.max_attempts}};
  return sha256_hex(canonical_json(json::value(std::move(request))));
}

std::string rerun_hash(const JobId& id, const std::optional<json::object>& context) {
  json::value asked = context ? json::value(*context) : json::value(nullptr);
  as_go_numbers(asked);
  return sha256_hex(id.str() + canonical_json(asked));
}

}  // namespace waybill::engine
