#include "waybill/plugins/ping/ping_config.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdint>

#include "waybill/base/status.h"

namespace waybill::plugins {
namespace json = boost::json;

namespace {

absl::StatusOr<absl::Duration> to_sleep(const json::value& value) {
  constexpr double kDay = 86'400'000;
  const double number = value.is_number() ? value.to_number<double>() : -1;
  if (number >= 0 && number <= kDay && number == std::floor(number))
    return absl::Milliseconds(static_cast<std::int64_t>(number));
  return invalid(
      fmt::format("{} is not a whole number from 0 to 86400000", json::serialize(value).substr(0, 100)));
}

}  // namespace

ports::ExecutorTraits ping_traits() {
  using ports::ContextLevel;
  ports::ExecutorTraits traits;
  traits.plugin = "ping";
  ports::ContextKey sleep;
  sleep.name = "sleep_ms";
  sleep.type = ports::ContextType::kInteger;
  sleep.levels = static_cast<unsigned>(ContextLevel::kCommand) |
                 static_cast<unsigned>(ContextLevel::kCluster) | static_cast<unsigned>(ContextLevel::kJob);
  sleep.what = "How many milliseconds the run takes, at most a day; 0 answers at once.";
  sleep.example = "sleep_ms: 250";
  sleep.check = [](const json::value& value) { return to_sleep(value).status(); };
  traits.keys.push_back(std::move(sleep));
  return traits;
}

absl::StatusOr<absl::Duration> ping_sleep(const json::object& context) {
  const json::value* value = context.if_contains("sleep_ms");
  if (value == nullptr || value->is_null()) return absl::ZeroDuration();
  absl::StatusOr<absl::Duration> sleep = to_sleep(*value);
  if (!sleep.ok()) return prefixed(sleep.status(), "context.sleep_ms");
  return sleep;
}

}  // namespace waybill::plugins
