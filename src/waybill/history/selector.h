#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::history {

// A Kubernetes label selector: "a,b!=c,d in (x,y),!e". Empty selects everything.
class LabelSelector {
 public:
  static absl::StatusOr<LabelSelector> parse(std::string_view text);  // InvalidArgument names the requirement

  [[nodiscard]] bool matches(const std::map<std::string, std::string>& labels) const;

 private:
  enum class Operator { kExists, kAbsent, kIn, kNotIn };
  struct Requirement {
    std::string key;
    Operator what = Operator::kExists;
    std::vector<std::string> values;
  };
  static absl::StatusOr<Requirement> parse_requirement(std::string_view text);

  std::vector<Requirement> requirements_;
};

}  // namespace waybill::history
