#include "waybill/cli/api.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/route_text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr std::string_view kBase = "/api/v1";
constexpr int kTries = 5;
constexpr absl::Duration kFirstPause = absl::Milliseconds(500);
constexpr absl::Duration kLongestPause = absl::Seconds(30);
constexpr JsonLimits kLimits{.depth = 100};
constexpr int kServiceUnavailable = 503;

absl::StatusCode code_of(int http_status) {
  switch (http_status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 409:
      return absl::StatusCode::kFailedPrecondition;
    case 413:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    default:
      return http_status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kInvalidArgument;
  }
}

std::string member_text(const json::object& object, std::string_view name) {
  const json::value* member = find_member(object, name);
  return member != nullptr && member->is_string() ? std::string(member->get_string()) : std::string();
}

std::string hint_for(const HttpReply& reply, const json::object& body, const std::string& word) {
  if (word == "no_route") {
    const std::string misses = near_misses_text(body);
    return misses.empty() ? "see what would match with `waybill route` and `waybill list commands`" : misses;
  }
  if (word == "job_failed") {
    const std::string id = member_text(body, "id");
    return id.empty() ? "" : fmt::format("see its log with `waybill logs {}`", id);
  }
  const std::string retry_after = reply.header("retry-after");
  if (reply.status == 401) return "say who you are with --user, or sign in with WAYBILL_TOKEN";
  if (!retry_after.empty()) return fmt::format("try again in {} s", retry_after);
  const std::string request = reply.header("x-request-id");
  if (reply.status >= 500 && !request.empty()) {
    return fmt::format("the server's log knows more under request id {}", request);
  }
  return "";
}

bool is_lost(const absl::Status& status) {
  const std::string word = error_word(status);
  return word == "lost" || word == "timeout";
}

absl::Duration wanted_pause(const absl::StatusOr<HttpReply>& reply, absl::Duration planned) {
  int seconds = 0;
  const bool asked = reply.ok() && absl::SimpleAtoi(reply->header("retry-after"), &seconds) && seconds > 0;
  return std::min(asked ? std::max(planned, absl::Seconds(seconds)) : planned, kLongestPause);
}

absl::StatusOr<Answer> answer_of(HttpReply reply, const Settings& settings) {
  absl::StatusOr<json::value> value = parse_json(reply.body, kLimits);
  if (!value.ok()) {
    return with_hint(error(absl::StatusCode::kUnavailable, "bad_answer",
                           fmt::format("{} (from {}) answered {} with something that is no JSON of an API",
                                       settings.url, settings.url_origin, reply.status)),
                     "check that the URL is that of a Waybill server");
  }
  return Answer{.status = reply.status, .text = std::move(reply.body), .value = *std::move(value)};
}

}  // namespace

std::string query_text(const Query& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    text += text.empty() ? "?" : "&";
    text += name + "=" + url_encoded(value);
  }
  return text;
}

absl::Status failure_of(const HttpReply& reply) {
  if (reply.status >= 300 && reply.status < 400) {
    return with_hint(error(absl::StatusCode::kUnavailable, "redirect",
                           fmt::format("the server sent us on to \"{}\", which is not followed",
                                       reply.header("location"))),
                     "set --url or WAYBILL_URL to the server itself");
  }
  const absl::StatusOr<json::value> parsed = parse_json(reply.body, kLimits);
  const json::object body = parsed.ok() && parsed->is_object() ? parsed->get_object() : json::object();
  const std::string said = member_text(body, "error");
  const std::string word = member_text(body, "code");
  const std::string sentence =
      said.empty() ? fmt::format("the server answered {} without saying why", reply.status) : said;
  const absl::StatusCode code = code_of(reply.status);
  const bool known_word = !word.empty() && word.size() <= 64 && word != "usage" && word != "output_closed";
  const absl::Status failure = known_word ? error(code, word, sentence) : error(code, "http_error", sentence);
  return with_hint(failure, hint_for(reply, body, word));
}

Api::Api(Settings settings, const Environment& environment)
    : http_(std::move(settings), environment), environment_(environment) {}

absl::StatusOr<HttpReply> Api::send(const HttpRequest& request, Repeat repeat) const {
  absl::Duration pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<HttpReply> reply = http_.send(request);
    if (reply.ok() && reply->status != kServiceUnavailable) {
      was_there_ = true;
      return reply;
    }
    const bool away = !reply.ok() && error_word(reply.status()) == "refused" && was_there_;
    const bool passing = reply.ok() || is_lost(reply.status()) || away;
    if (repeat == Repeat::kNever || attempt == kTries || !passing) return reply;
    was_there_ = true;
    if (!environment_.pause(wanted_pause(reply, pause))) return interrupted_error();
    pause *= 2;
  }
}

absl::StatusOr<Answer> Api::get_any(const std::string& path) const {
  const HttpRequest request{.target = std::string(kBase) + path, .headers = {{"Accept", "application/json"}}};
  WB_ASSIGN(HttpReply reply, http_.send(request));
  was_there_ = true;
  if (reply.status >= 300 && reply.status < 400) return failure_of(reply);
  return answer_of(std::move(reply), http_.settings());
}

absl::StatusOr<Answer> Api::get(const std::string& path) const {
  const HttpRequest request{.target = std::string(kBase) + path, .headers = {{"Accept", "application/json"}}};
  WB_ASSIGN(HttpReply reply, send(request, Repeat::kGet));
  if (reply.status >= 300) return failure_of(reply);
  return answer_of(std::move(reply), http_.settings());
}

absl::StatusOr<Answer> Api::post(const std::string& path, const std::string& body) const {
  const HttpRequest request{.method = "POST",
                            .target = std::string(kBase) + path,
                            .headers = {{"Accept", "application/json"}},
                            .body = body};
  WB_ASSIGN(HttpReply reply, send(request, Repeat::kNever));
  if (reply.status >= 300) return failure_of(reply);
  return answer_of(std::move(reply), http_.settings());
}

absl::StatusOr<Answer> Api::submit(const std::string& path, const std::string& body,
                                   const std::string& idempotency_key) const {
  const HttpRequest request{.method = "POST",
                            .target = std::string(kBase) + path,
                            .headers = {{"Accept", "application/json"}, {"Idempotency-Key", idempotency_key}},
                            .body = body,
                            .timeout = absl::InfiniteDuration()};
  WB_ASSIGN(HttpReply reply, send(request, Repeat::kSubmit));
  if (reply.status >= 300) return failure_of(reply);
  return answer_of(std::move(reply), http_.settings());
}

absl::StatusOr<HttpStream> Api::open(const std::string& path, const std::string& accept) const {
  constexpr std::size_t kLongestError = std::size_t{1} << 20U;
  const HttpRequest request{.target = std::string(kBase) + path,
                            .headers = {{"Accept", accept}},
                            .timeout = absl::InfiniteDuration(),
                            .body_limit = std::string().max_size()};
  WB_ASSIGN(HttpStream stream, http_.open(request));
  WB_ASSIGN(HttpReply reply, stream.head());
  was_there_ = true;
  if (reply.status < 300) return stream;
  while (!stream.ended() && reply.body.size() < kLongestError) {
    WB_ASSIGN(const std::string piece, stream.read());
    reply.body += piece;
  }
  return failure_of(reply);
}

}  // namespace waybill::cli
