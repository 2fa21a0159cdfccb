#include "waybill/cli/failure.h"

#include <absl/strings/cord.h>

#include "waybill/base/status.h"
#include "waybill/cli/exit_code.h"

namespace waybill::cli {
namespace {

constexpr char kHintUrl[] = "waybill/hint";

}  // namespace

absl::Status usage_error(std::string_view message, std::string_view hint) {
  return with_hint(error(absl::StatusCode::kInvalidArgument, "usage", message), hint);
}

absl::Status interrupted_error() { return error(absl::StatusCode::kCancelled, "interrupted", "interrupted"); }

absl::Status output_closed() {
  return error(absl::StatusCode::kAborted, "output_closed", "nobody reads the output any more");
}

bool is_output_closed(const absl::Status& status) { return error_word(status) == "output_closed"; }

absl::Status with_hint(absl::Status status, std::string_view hint) {
  if (!hint.empty()) status.SetPayload(kHintUrl, absl::Cord(absl::string_view(hint.data(), hint.size())));
  return status;
}

std::string hint_of(const absl::Status& status) {
  const auto payload = status.GetPayload(kHintUrl);
  return payload.has_value() ? std::string(*payload) : std::string();
}

int exit_code_of(const absl::Status& status) {
  const std::string word = error_word(status);
  if (word == "usage") return kUsage;
  if (word == "job_failed") return kJobFailed;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kDenied;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kDeadlineExceeded:
      return kTimeout;
    case absl::StatusCode::kCancelled:
      return kInterrupted;
    default:
      return kError;
  }
}

}  // namespace waybill::cli
