#include "waybill/history/arguments.h"

#include <absl/time/civil_time.h>

#include <boost/json.hpp>
#include <charconv>
#include <system_error>

#include "waybill/base/json.h"
#include "waybill/base/time.h"

namespace waybill::history {
namespace json = boost::json;
namespace {

std::optional<absl::Time> rfc3339(const std::optional<std::string>& text) {
  if (!text || text->find('T') == std::string::npos) return std::nullopt;
  const auto parsed = parse_time(*text);
  if (!parsed.ok()) return std::nullopt;
  return *parsed;
}

// A whole number above 0, of at most a hundred years of days.
std::optional<int> days(const std::optional<std::string>& text) {
  constexpr int kMost = 36'525;
  int number = 0;
  if (!text) return std::nullopt;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool whole = problem == std::errc() && end == text->data() + text->size();
  if (!whole || number < 1 || number > kMost) return std::nullopt;
  return number;
}

// The JSON after a flag; null where it is absent or no JSON.
json::value json_argument(const std::vector<std::string>& arguments, std::string_view flag) {
  const auto written = argument(arguments, flag);
  if (!written) return nullptr;
  auto value = parse_json(*written);
  return value.ok() ? *std::move(value) : json::value();
}

std::string text_of(const json::value& from, std::string_view name) {
  const json::object* object = from.if_object();
  const json::value* value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

std::optional<std::string> argument(const std::vector<std::string>& arguments, std::string_view name) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == name) {
      found = i + 1 < arguments.size() ? arguments[i + 1] : std::string();
      ++i;  // a value is never taken for a flag
    } else if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      found = std::string(word.substr(name.size() + 1));
    }
  }
  return found;
}

domain::DataWindow data_window(const std::vector<std::string>& arguments, absl::Time started) {
  const auto start = argument(arguments, "--start");
  const auto end = argument(arguments, "--end");
  if (start || end) return {.from = rfc3339(start), .to = rfc3339(end)};
  const auto span = days(argument(arguments, "--ingestion-timespan"));
  if (!span) return {};
  const absl::CivilDay day = absl::ToCivilDay(started, absl::UTCTimeZone());
  return {.from = absl::FromCivil(day - (*span - 1), absl::UTCTimeZone()),
          .to = absl::FromCivil(day + 1, absl::UTCTimeZone())};
}

std::string feature_table_name(const std::vector<std::string>& arguments) {
  return text_of(json_argument(arguments, "--feature-table"), "name");
}

std::string output_location(const std::vector<std::string>& arguments) {
  return text_of(json_argument(arguments, "--destination"), "path");
}

std::vector<std::string> feature_references(const std::vector<std::string>& arguments) {
  std::vector<std::string> found;
  const json::value tables = json_argument(arguments, "--feature-tables");
  if (!tables.is_array()) return found;
  for (const json::value& table : tables.get_array()) {
    const std::string name = text_of(table, "name");
    const json::object* members = table.if_object();
    const json::value* features = members == nullptr ? nullptr : members->if_contains("features");
    if (name.empty() || features == nullptr || !features->is_array()) continue;
    for (const json::value& feature : features->get_array()) {
      const std::string of_feature = text_of(feature, "name");
      if (!of_feature.empty()) found.push_back(name + ':' + of_feature);
    }
  }
  return found;
}

}  // namespace waybill::history
