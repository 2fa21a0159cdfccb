#include "waybill/history/selector.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "waybill/base/status.h"

namespace waybill::history {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Splits at commas that are not between parentheses.
std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth > 0) continue;
    out.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  out.push_back(trimmed(text.substr(start)));
  return out;
}

}  // namespace

absl::StatusOr<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  if (trimmed(text).empty()) return selector;
  for (const std::string_view part : parts(text)) {
    WB_ASSIGN(Requirement requirement, parse_requirement(part));
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

absl::StatusOr<LabelSelector::Requirement> LabelSelector::parse_requirement(std::string_view text) {
  static constexpr char kKey[] = R"(([A-Za-z0-9][-A-Za-z0-9_./]*))";
  static constexpr char kValue[] = R"(([-A-Za-z0-9_.]*))";
  Requirement requirement;
  std::string what;
  std::string value;
  if (RE2::FullMatch(text, kKey, &requirement.key)) return requirement;
  if (RE2::FullMatch(text, std::string(R"(!\s*)") + kKey, &requirement.key)) {
    requirement.what = Operator::kAbsent;
    return requirement;
  }
  if (RE2::FullMatch(text, std::string(kKey) + R"(\s*(==|=|!=)\s*)" + kValue, &requirement.key, &what,
                     &value)) {
    requirement.what = what == "!=" ? Operator::kNotIn : Operator::kIn;
    requirement.values = {value};
    return requirement;
  }
  if (RE2::FullMatch(text, std::string(kKey) + R"(\s+(in|notin)\s*\(([-A-Za-z0-9_.,\s]*)\))",
                     &requirement.key, &what, &value)) {
    requirement.what = what == "in" ? Operator::kIn : Operator::kNotIn;
    for (const std::string_view one : parts(value)) requirement.values.emplace_back(one);
    return requirement;
  }
  return invalid(fmt::format(
      "\"{}\" is no label requirement: use key, !key, key=value, key!=value, key in (a,b) or key notin (a,b)",
      text));
}

bool LabelSelector::matches(const std::map<std::string, std::string>& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    const auto label = labels.find(requirement.key);
    const bool there = label != labels.end();
    const auto listed = [&] {
      return std::find(requirement.values.begin(), requirement.values.end(), label->second) !=
             requirement.values.end();
    };
    switch (requirement.what) {
      case Operator::kExists:
        return there;
      case Operator::kAbsent:
        return !there;
      case Operator::kIn:
        return there && listed();
      case Operator::kNotIn:  // as Kubernetes: an object without the key matches
        return !there || !listed();
    }
    return false;
  });
}

}  // namespace waybill::history
