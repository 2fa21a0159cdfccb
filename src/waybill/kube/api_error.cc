#include "waybill/kube/api_error.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "waybill/base/status.h"
#include "waybill/kube/json_access.h"

namespace waybill::kube {
namespace {

constexpr char kErrorUrl[] = "waybill/kube.api_error";
constexpr std::size_t kMostWords = 2048;
constexpr std::size_t kMostSeconds = 3600;  // a server that wants longer is asked after an hour all the same
constexpr int kBadRequest = 400, kUnauthorized = 401, kForbidden = 403, kNotFound = 404, kBadMethod = 405,
              kNotAcceptable = 406, kConflict = 409, kGone = 410, kTooLarge = 413, kBadMedia = 415,
              kUnprocessable = 422, kTooMany = 429;

absl::StatusCode code_of(const ApiError& error) {
  switch (error.http) {
    case kBadRequest:
    case kBadMethod:
    case kNotAcceptable:
    case kTooLarge:
    case kBadMedia:
    case kUnprocessable:
      return absl::StatusCode::kInvalidArgument;
    case kUnauthorized:
      return absl::StatusCode::kUnauthenticated;
    case kForbidden:
      return absl::StatusCode::kPermissionDenied;
    case kNotFound:
      return absl::StatusCode::kNotFound;
    case kConflict:
      return error.reason == "AlreadyExists" ? absl::StatusCode::kAlreadyExists : absl::StatusCode::kAborted;
    case kGone:
      return absl::StatusCode::kOutOfRange;
    case kTooMany:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

// One line, bounded, nothing that a terminal would act on.
std::string tidy(std::string_view text) {
  std::string line(text.substr(0, kMostWords));
  while (!line.empty() && line.size() == kMostWords &&
         (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U)
    line.pop_back();
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; },
      ' ');
  return line;
}

bool has_cause(const boost::json::object* details, std::string_view reason) {
  const boost::json::value* causes = details == nullptr ? nullptr : member_at(*details, "causes");
  if (causes == nullptr || !causes->is_array()) return false;
  const boost::json::array& list = causes->get_array();
  return std::any_of(list.begin(), list.end(), [&](const boost::json::value& cause) {
    return cause.is_object() && text_at(cause.get_object(), "reason") == reason;
  });
}

std::optional<absl::Duration> seconds(std::string_view text) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return absl::Seconds(std::min(value, kMostSeconds));
}

}  // namespace

absl::Status to_status(const ApiError& error, std::string_view what) {
  std::string words =
      error.message.empty() ? fmt::format("the API server answered {}", error.http) : error.message;
  absl::Status status = waybill::error(code_of(error), error.http == kGone ? "expired" : "kubernetes",
                                       what.empty() ? words : fmt::format("{}: {}", what, words));
  boost::json::object payload = {{"http", error.http}, {"reason", error.reason}, {"message", error.message}};
  if (error.retry_after) payload["retry_ms"] = absl::ToInt64Milliseconds(*error.retry_after);
  if (error.version_too_large) payload["too_large"] = true;
  const std::string text = boost::json::serialize(payload);
  status.SetPayload(kErrorUrl, absl::Cord(absl::string_view(text.data(), text.size())));
  return status;
}

std::optional<ApiError> api_error(const absl::Status& status) {
  const auto payload = status.GetPayload(kErrorUrl);
  if (!payload.has_value()) return std::nullopt;
  boost::system::error_code problem;
  const boost::json::value value = boost::json::parse(std::string(*payload), problem);
  if (problem || !value.is_object()) return std::nullopt;
  const boost::json::object& object = value.get_object();
  ApiError error;
  error.http = static_cast<int>(whole_at(object, "http").value_or(0));
  error.reason = text_at(object, "reason");
  error.message = text_at(object, "message");
  error.version_too_large = object.contains("too_large");
  if (const auto ms = whole_at(object, "retry_ms")) error.retry_after = absl::Milliseconds(*ms);
  return error;
}

bool is_expired(const absl::Status& status) {
  const auto error = api_error(status);
  return error && (error->http == kGone || error->reason == "Expired" || error->reason == "Gone");
}

bool is_conflict(const absl::Status& status) {
  const auto error = api_error(status);
  return error && error->http == kConflict && error->reason != "AlreadyExists";
}

ApiError parse_api_error(int http, std::string_view body, std::string_view retry_after) {
  ApiError error;
  error.http = http;
  error.retry_after = seconds(retry_after);
  boost::system::error_code problem;
  const boost::json::value value =
      boost::json::parse(boost::json::string_view(body.data(), body.size()), problem);
  if (problem || !value.is_object() || text_at(value.get_object(), "kind") != "Status") {
    error.message = tidy(body);
    return error;
  }
  const boost::json::object& status = value.get_object();
  if (const auto code = whole_at(status, "code"); code && *code >= kBadRequest && *code < 600)
    error.http = static_cast<int>(*code);
  error.reason = tidy(text_at(status, "reason"));
  error.message = tidy(text_at(status, "message"));
  const boost::json::object* details = object_at(status, "details");
  const auto wait = details == nullptr ? std::nullopt : whole_at(*details, "retryAfterSeconds");
  if (!error.retry_after && wait && *wait > 0)
    error.retry_after = absl::Seconds(std::min(*wait, static_cast<std::int64_t>(kMostSeconds)));
  error.version_too_large = has_cause(details, "ResourceVersionTooLarge");
  return error;
}

}  // namespace waybill::kube
