#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// `${env:NAME}` and `${env:NAME:-default}` in texts of the configuration. Any other `${…}` is left alone: it
// belongs to shells and to the feature store's templates.
namespace waybill {

// A variable's value; nullopt: not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The process's own variables. Not to be called while another thread changes them.
[[nodiscard]] Environment process_environment();

// One reference as written.
struct EnvironmentReference {
  std::size_t offset = 0;               // of "${env:", in bytes
  std::size_t length = 0;               // up to and with "}"
  std::string name;                     // empty: the reference is broken
  std::optional<std::string> fallback;  // after ":-"; counts where the variable is not set or empty
};
[[nodiscard]] std::vector<EnvironmentReference> environment_references(std::string_view text);

// The text with all references replaced. InvalidArgument that names the variable that is not set, or says how
// a broken reference should look. Never holds a value.
[[nodiscard]] absl::StatusOr<std::string> expand_environment(std::string_view text,
                                                             const Environment& environment);

}  // namespace waybill
