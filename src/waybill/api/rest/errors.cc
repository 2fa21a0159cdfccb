#include "waybill/api/rest/errors.h"

#include <fmt/format.h>

#include <utility>

#include "waybill/base/go_json.h"
#include "waybill/base/status.h"
#include "waybill/engine/submit.h"

namespace waybill::rest {

unsigned http_status(const absl::Status& status) {
  const std::string word = error_word(status);
  if (word == "no_route" || word == "job_failed") return 422;
  if (word == "body_too_large") return 413;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return 503;
    default:
      return 500;
  }
}

std::string public_message(const absl::Status& status) {
  if (http_status(status) == 500) return "something went wrong in the server: its log says what";
  return message(status);
}

std::string error_members(const absl::Status& status) {
  std::string out = "\"error\":";
  append_json_string(public_message(status), out);
  const JobId id = engine::job_id_of(status);
  if (!id.empty()) {
    out += ",\"id\":";
    append_json_string(id.str(), out);
  }
  out += ",\"code\":";
  append_json_string(error_word(status), out);
  return out;
}

Reply error_reply(const absl::Status& status) {
  Reply reply = json_reply('{' + error_members(status) + '}', http_status(status));
  if (reply.status == 429 || reply.status == 503) reply.headers.add("Retry-After", "1");
  if (reply.status == 401) reply.headers.add("WWW-Authenticate", "Bearer");
  return reply;
}

absl::Status no_caller() {
  return error(absl::StatusCode::kUnauthenticated, "unauthenticated",
               "cannot identify caller -- access denied");
}

absl::Status unknown_job() { return not_found("unknown job_id"); }

absl::Status unknown_endpoint(std::string_view method, std::string_view path) {
  return error(absl::StatusCode::kNotFound, "unknown_endpoint",
               fmt::format("unknown endpoint: {} {}", method, path));
}

Reply json_reply(std::string body, unsigned status) {
  Reply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

}  // namespace waybill::rest
