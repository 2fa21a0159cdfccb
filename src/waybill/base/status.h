#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

// The one error type is absl::Status. A message is one sentence for the user; its machine word (the member
// `code` of a REST error, "no_route" for example) travels with it.

namespace waybill {

// An error with a machine word of lower_snake_case. The message names the thing and says what would be right.
[[nodiscard]] absl::Status error(absl::StatusCode code, std::string_view word, std::string_view message);

// Short forms of error() for the usual kinds, each with the usual word.
[[nodiscard]] absl::Status invalid(std::string_view message);      // 400 invalid_argument
[[nodiscard]] absl::Status not_found(std::string_view message);    // 404 not_found
[[nodiscard]] absl::Status conflict(std::string_view message);     // 409 conflict (FailedPrecondition)
[[nodiscard]] absl::Status denied(std::string_view message);       // 403 permission_denied
[[nodiscard]] absl::Status unavailable(std::string_view message);  // 503 unavailable: try again later
[[nodiscard]] absl::Status aborted(std::string_view message);      // lost a race: read again and decide anew

// The machine word given to error(), or one made from the status code.
[[nodiscard]] std::string error_word(const absl::Status& status);

// status.message() as a std::string: Debian's absl::string_view converts to neither std type.
[[nodiscard]] std::string message(const absl::Status& status);

// The same error with "prefix: " before its message.
[[nodiscard]] absl::Status prefixed(const absl::Status& status, std::string_view prefix);

}  // namespace waybill

// Return the error of a Status, or go on. WB_ASSIGN also takes the value out of a StatusOr. The WB_CO_ forms
// are for coroutines; await first into a named variable, then use them (a co_await must stand alone).
#define WB_CONCAT_INNER(a, b) a##b
#define WB_CONCAT(a, b) WB_CONCAT_INNER(a, b)
#define WB_TRY_INTO(name, expression, leave) \
  auto name = (expression);                  \
  if (!name.ok()) leave ::waybill::internal::as_status(name)
#define WB_TRY(expression) WB_TRY_INTO(WB_CONCAT(wb_status_, __LINE__), expression, return)
#define WB_CO_TRY(expression) WB_TRY_INTO(WB_CONCAT(wb_status_, __LINE__), expression, co_return)
#define WB_ASSIGN_INTO(name, target, expression, leave)       \
  auto name = (expression);                                   \
  if (!name.ok()) leave ::waybill::internal::as_status(name); \
  target = *std::move(name)
#define WB_ASSIGN(target, expression) \
  WB_ASSIGN_INTO(WB_CONCAT(wb_value_, __LINE__), target, expression, return)
#define WB_CO_ASSIGN(target, expression) \
  WB_ASSIGN_INTO(WB_CONCAT(wb_value_, __LINE__), target, expression, co_return)

namespace waybill::internal {

inline const absl::Status& as_status(const absl::Status& status) { return status; }
template <class T>
const absl::Status& as_status(const absl::StatusOr<T>& status) {
  return status.status();
}

}  // namespace waybill::internal
