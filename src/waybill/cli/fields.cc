#include "waybill/cli/fields.h"

#include <boost/json.hpp>
#include <cmath>

#include "waybill/base/json.h"
#include "waybill/base/time.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

std::string scalar_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_null() || value.is_structured()) return "";
  return json::serialize(value);
}

template <class Keep>
std::string joined(const json::object& object, std::string_view name, Keep keep) {
  const json::value* member = find_member(object, name);
  if (member == nullptr || !member->is_array()) return "";
  std::string text;
  for (const json::value& item : member->get_array()) {
    const std::string word = scalar_text(item);
    if (keep(word)) text += text.empty() ? word : ", " + word;
  }
  return text;
}

}  // namespace

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* member = find_member(object, name);
  return member == nullptr ? "" : scalar_text(*member);
}

std::string list_of(const json::object& object, std::string_view name) {
  return joined(object, name, [](const std::string&) { return true; });
}

std::optional<double> number_of(const json::object& object, std::string_view name) {
  const json::value* member = find_member(object, name);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  return member->to_number<double>();
}

bool bool_of(const json::object& object, std::string_view name) {
  const json::value* member = find_member(object, name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

std::optional<absl::Time> time_of(const json::object& object, std::string_view name) {
  constexpr double kLatest = 253402300799;  // the year 9999
  if (const std::optional<double> seconds = number_of(object, name)) {
    if (*seconds <= 0 || *seconds > kLatest || !std::isfinite(*seconds)) return std::nullopt;
    return absl::UnixEpoch() + absl::Seconds(*seconds);
  }
  const std::string text = text_of(object, name);
  if (text.empty()) return std::nullopt;
  const absl::StatusOr<absl::Time> time = parse_time(text);
  if (!time.ok()) return std::nullopt;
  return *time;
}

const json::object* object_of(const json::object& object, std::string_view name) {
  const json::value* member = find_member(object, name);
  return member == nullptr ? nullptr : member->if_object();
}

const json::array* rows_of(const json::value& answer) {
  if (answer.is_array()) return &answer.get_array();
  if (!answer.is_object()) return nullptr;
  const json::value* data = find_member(answer.get_object(), "data");
  return data == nullptr ? nullptr : data->if_array();
}

std::string own_tags_of(const json::object& object) {
  return joined(object, "tags", [](const std::string& tag) {
    return !tag.starts_with("_id:") && !tag.starts_with("_name:") && !tag.starts_with("_version:");
  });
}

bool is_final_status(std::string_view status) {
  const bool is_of_job =
      status == "SUCCEEDED" || status == "FAILED" || status == "KILLED" || status == "CANCELED";
  return is_of_job || status == "DONE" || status == "ERROR";
}

}  // namespace waybill::cli
