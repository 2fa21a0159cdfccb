#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "waybill/config/config.h"
#include "waybill/config/schema.h"

namespace waybill::config {

// The length of one unit of a setting that is a time.
[[nodiscard]] inline absl::Duration unit_length(std::string_view unit) {
  if (unit == "ms") return absl::Milliseconds(1);
  if (unit == "minutes") return absl::Minutes(1);
  if (unit == "hours") return absl::Hours(1);
  if (unit == "days") return absl::Hours(24);
  return absl::Seconds(1);
}

// Writes a checked value into a member of its kind; none leaves the member empty.
inline void store(absl::Duration& member, const Value& value, const Setting& setting) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) member = *number * unit_length(setting.unit);
}
template <class T>
void store(T& member, const Value& value, const Setting&) {
  if constexpr (std::is_same_v<T, bool>) {
    if (const bool* flag = std::get_if<bool>(&value)) member = *flag;
  } else if constexpr (std::is_integral_v<T>) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) member = static_cast<T>(*number);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (const auto* text = std::get_if<std::string>(&value)) member = *text;
    if (const auto* secret = std::get_if<Secret>(&value)) member = secret->reveal();
  } else if constexpr (std::is_same_v<T, Secret>) {
    if (const auto* text = std::get_if<std::string>(&value)) member = Secret(*text);
    if (const auto* secret = std::get_if<Secret>(&value)) member = *secret;
  } else {
    static_assert(std::is_same_v<T, std::vector<std::string>>);
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) member = *list;
  }
}

// into<&Config::pool, &Pool::size>: the Assign of that member.
template <auto... Members>
void into(Config& config, const Value& value, const Setting& setting) {
  store((config.*....*Members), value, setting);
}

}  // namespace waybill::config
