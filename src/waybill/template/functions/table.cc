#include "waybill/template/functions/table.h"

#include <algorithm>

#include "waybill/template/functions/functions.h"

namespace waybill::gotemplate {
namespace {

constexpr auto kAny = Parameter::kAny;
constexpr auto kBool = Parameter::kBool;
constexpr auto kInt = Parameter::kInt;
constexpr auto kMap = Parameter::kMap;
constexpr auto kNone = Parameter::kNone;
constexpr auto kString = Parameter::kString;
constexpr auto kValue = Parameter::kValue;

// Sorted by name.
constexpr FunctionEntry kFunctions[] = {
    {"and", nullptr, {kValue}, kValue},
    {"b64dec", functions::b64dec, {kString}},
    {"b64enc", functions::b64enc, {kString}},
    {"call", nullptr, {kValue}, kValue},
    {"coalesce", functions::coalesce, {}, kAny},
    {"contains", functions::contains, {kString, kString}},
    {"date", functions::date, {kString, kAny}},
    {"default", functions::default_value, {kAny}, kAny},
    {"dig", functions::dig, {}, kAny},
    {"empty", functions::empty, {kAny}},
    {"eq", functions::eq, {kValue}, kValue},
    {"ge", functions::ge, {kValue, kValue}},
    {"get", functions::get, {kMap, kString}},
    {"gt", functions::gt, {kValue, kValue}},
    {"hasKey", functions::has_key, {kMap, kString}},
    {"hasPrefix", functions::has_prefix, {kString, kString}},
    {"hasSuffix", functions::has_suffix, {kString, kString}},
    {"html", functions::html, {}, kAny},
    {"index", functions::index, {kValue}, kValue},
    {"int", functions::to_int, {kAny}},
    {"join", functions::join, {kString, kAny}},
    {"js", functions::js, {}, kAny},
    {"le", functions::le, {kValue, kValue}},
    {"len", functions::len, {kValue}},
    {"lower", functions::lower, {kString}},
    {"lt", functions::lt, {kValue, kValue}},
    {"ne", functions::ne, {kValue, kValue}},
    {"not", functions::logical_not, {kValue}},
    {"or", nullptr, {kValue}, kValue},
    {"print", functions::print, {}, kAny},
    {"printf", functions::printf, {kString}, kAny},
    {"println", functions::println, {}, kAny},
    {"quote", functions::quote, {}, kAny},
    {"regexReplaceAll", functions::regex_replace_all, {kString, kString, kString}},
    {"replace", functions::replace, {kString, kString, kString}},
    {"sha256sum", functions::sha256sum, {kString}},
    {"slice", functions::slice, {kValue}, kValue},
    {"splitList", functions::split_list, {kString, kString}},
    {"squote", functions::squote, {}, kAny},
    {"ternary", functions::ternary, {kAny, kAny, kBool}},
    {"title", functions::title, {kString}},
    {"toJson", functions::to_json, {kAny}},
    {"toString", functions::to_string, {kAny}},
    {"trim", functions::trim, {kString}},
    {"trimPrefix", functions::trim_prefix, {kString, kString}},
    {"trimSuffix", functions::trim_suffix, {kString, kString}},
    {"trunc", functions::trunc, {kInt, kString}},
    {"upper", functions::upper, {kString}},
    {"urlPathEscape", functions::url_path_escape, {kString}},
    {"urlquery", functions::urlquery, {}, kAny},
};

constexpr bool by_name(const FunctionEntry& a, const FunctionEntry& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kFunctions), std::end(kFunctions), by_name));

}  // namespace

std::string_view type_name(Parameter parameter) {
  switch (parameter) {
    case Parameter::kString:
      return "string";
    case Parameter::kInt:
      return "int";
    case Parameter::kBool:
      return "bool";
    case Parameter::kMap:
      return "map[string]interface {}";
    case Parameter::kValue:
      return "reflect.Value";
    case Parameter::kAny:
    case Parameter::kNone:
      break;
  }
  return "interface {}";
}

std::size_t FunctionEntry::fixed_count() const {
  return static_cast<std::size_t>(std::find(fixed.begin(), fixed.end(), kNone) - fixed.begin());
}

Parameter FunctionEntry::parameter(std::size_t index) const {
  return index < fixed_count() ? fixed[index] : variadic;
}

const FunctionEntry* find_function(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kFunctions), std::end(kFunctions), name,
      [](const FunctionEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

bool is_and(const FunctionEntry& entry) { return entry.call == nullptr && entry.name == "and"; }
bool is_or(const FunctionEntry& entry) { return entry.call == nullptr && entry.name == "or"; }
bool is_call(const FunctionEntry& entry) { return entry.call == nullptr && entry.name == "call"; }

}  // namespace waybill::gotemplate
