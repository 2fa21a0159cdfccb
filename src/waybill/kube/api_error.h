#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <optional>
#include <string>
#include <string_view>

namespace waybill::kube {

// What an API server said when it refused. Every absl::Status that comes from an answer carries one; a Status
// without it never reached the server, or lost it on the way (Unavailable), or is about the access itself
// (FailedPrecondition: certificates, kubeconfig, exec plugin).
struct ApiError {
  int http = 0;         // the status of the answer, or the `code` of a Status object inside a stream
  std::string reason;   // "NotFound", "Conflict", "Expired", …; "" : not said
  std::string message;  // the server's own words, at most 2 KiB
  std::optional<absl::Duration> retry_after;  // of the header, or details.retryAfterSeconds
  bool version_too_large = false;             // it was asked for a version that it has not reached yet

  friend bool operator==(const ApiError&, const ApiError&) = default;
};

// 400, 405, 406, 413, 415, 422: InvalidArgument; 401: Unauthenticated; 403: PermissionDenied; 404: NotFound;
// 409: AlreadyExists or Aborted (a conflict: read again and decide anew); 410: OutOfRange; 429:
// ResourceExhausted; anything else: Unavailable. `what` says what was asked, for the message.
[[nodiscard]] absl::Status to_status(const ApiError& error, std::string_view what);
[[nodiscard]] std::optional<ApiError> api_error(const absl::Status& status);

// 410: the version or the page asked for is too old.
[[nodiscard]] bool is_expired(const absl::Status& status);
// Another write came first (409 Conflict, not AlreadyExists).
[[nodiscard]] bool is_conflict(const absl::Status& status);

// From an answer's status line and body: a Status object of the API, or any other text.
[[nodiscard]] ApiError parse_api_error(int http, std::string_view body, std::string_view retry_after = {});

}  // namespace waybill::kube
