#include "waybill/base/status.h"

#include <absl/strings/cord.h>

#include <optional>

namespace waybill {
namespace {

constexpr char kWordUrl[] = "waybill/word";

std::string_view default_word(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return "ok";
    case absl::StatusCode::kInvalidArgument:
      return "invalid_argument";
    case absl::StatusCode::kNotFound:
      return "not_found";
    case absl::StatusCode::kPermissionDenied:
      return "permission_denied";
    case absl::StatusCode::kUnauthenticated:
      return "unauthenticated";
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return "conflict";
    case absl::StatusCode::kResourceExhausted:
      return "too_many_requests";
    case absl::StatusCode::kUnavailable:
      return "unavailable";
    case absl::StatusCode::kDeadlineExceeded:
      return "timeout";
    default:
      return "internal";
  }
}

}  // namespace

absl::Status error(absl::StatusCode code, std::string_view word, std::string_view message) {
  absl::Status status(code, absl::string_view(message.data(), message.size()));
  if (word != default_word(code)) {
    // Cord's constructor from std::string is a template that GCC (Debian's build) and clang name differently.
    status.SetPayload(kWordUrl, absl::Cord(absl::string_view(word.data(), word.size())));
  }
  return status;
}

absl::Status invalid(std::string_view message) {
  return error(absl::StatusCode::kInvalidArgument, "invalid_argument", message);
}
absl::Status not_found(std::string_view message) {
  return error(absl::StatusCode::kNotFound, "not_found", message);
}
absl::Status conflict(std::string_view message) {
  return error(absl::StatusCode::kFailedPrecondition, "conflict", message);
}
absl::Status denied(std::string_view message) {
  return error(absl::StatusCode::kPermissionDenied, "permission_denied", message);
}
absl::Status unavailable(std::string_view message) {
  return error(absl::StatusCode::kUnavailable, "unavailable", message);
}
absl::Status aborted(std::string_view message) {
  return error(absl::StatusCode::kAborted, "conflict", message);
}

std::string error_word(const absl::Status& status) {
  const auto word = status.GetPayload(kWordUrl);
  return word.has_value() ? std::string(*word) : std::string(default_word(status.code()));
}

std::string message(const absl::Status& status) { return {status.message().data(), status.message().size()}; }

absl::Status prefixed(const absl::Status& status, std::string_view prefix) {
  return error(status.code(), error_word(status), std::string(prefix) + ": " + message(status));
}

}  // namespace waybill
