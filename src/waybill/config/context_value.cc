#include "waybill/config/context_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"

namespace waybill::config {
namespace json = boost::json;
namespace {

bool is_text(const json::value& value) { return value.is_string() || is_secret_reference(value); }

// JSON's numbers are those of Go: 3 and 3.0 are one.
bool is_whole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

bool has_type(const json::value& value, ports::ContextType type) {
  switch (type) {
    case ports::ContextType::kAny:
      return true;
    case ports::ContextType::kString:
      return is_text(value);
    case ports::ContextType::kInteger:
      return is_whole(value);
    case ports::ContextType::kNumber:
      return value.is_number();
    case ports::ContextType::kBool:
      return value.is_bool();
    case ports::ContextType::kObject:
      return value.is_object() && !is_secret_reference(value);
    case ports::ContextType::kStringList:
      return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(), is_text);
  }
  return false;
}

}  // namespace

absl::Status check_context_value(const json::value& value, const ports::ContextKey& key,
                                 const std::string& plugin) {
  if (value.is_null()) return absl::OkStatus();
  if (!has_type(value, key.type)) {
    return invalid(
        fmt::format("it is not what the plugin {} takes: it must be {}", plugin, to_string(key.type)));
  }
  return key.check ? key.check(value) : absl::OkStatus();
}

std::string_view to_string(ports::ContextType type) {
  switch (type) {
    case ports::ContextType::kString:
      return "a text";
    case ports::ContextType::kStringList:
      return "a list of texts";
    case ports::ContextType::kInteger:
      return "a whole number";
    case ports::ContextType::kNumber:
      return "a number";
    case ports::ContextType::kBool:
      return "true or false";
    case ports::ContextType::kObject:
      return "a mapping";
    case ports::ContextType::kAny:
      return "anything";
  }
  return "";
}

}  // namespace waybill::config
