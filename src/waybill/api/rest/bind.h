#pragma once

// JSON bodies to values, as leniently as Heimdall reads them. Internal to api/rest.

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "waybill/api/rest/query.h"

namespace waybill::rest {

using Words = std::optional<std::vector<std::string>>;
using Object = std::optional<boost::json::object>;

// The members that a body may have, with where they go. Names match in any case; of doubled members the last
// counts; null leaves a value as it is (lists and objects: takes it away); a query parameter of the same name
// counts as a string member that comes last.
class Members {
 public:
  void text(std::string_view name, std::string& into) { add(name, &into); }
  void flag(std::string_view name, bool& into) { add(name, &into); }
  void integer(std::string_view name, std::int64_t& into) { add(name, &into); }
  void real(std::string_view name, double& into) { add(name, &into); }
  void words(std::string_view name, Words& into) { add(name, &into); }
  void object(std::string_view name, Object& into) { add(name, &into); }
  void any(std::string_view name, std::optional<boost::json::value>& into) { add(name, &into); }
  // Members that only the server sets: they must be well-typed and are forgotten.
  enum class Ignored { kText, kFlag, kInteger, kObject, kJobStatus };
  void ignored(std::string_view name, Ignored type) { add(name, type); }

  // InvalidArgument naming the member, what it is and what it must be.
  absl::Status read(const boost::json::object& body, const Query* query);
  // One sentence for each member of the body that nothing is known of.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Target = std::variant<std::string*, bool*, std::int64_t*, double*, Words*, Object*,
                              std::optional<boost::json::value>*, Ignored>;
  struct Member {
    std::string_view name;
    Target target;
  };
  void add(std::string_view name, Target target) { members_.push_back({name, target}); }
  [[nodiscard]] const Member* find(std::string_view name) const;

  std::vector<Member> members_;
  std::vector<std::string> warnings_;
};

}  // namespace waybill::rest
