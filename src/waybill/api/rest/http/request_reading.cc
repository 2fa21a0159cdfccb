#include "waybill/api/rest/http/request_reading.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <utility>

#include "waybill/api/rest/http/server_core.h"
#include "waybill/base/json.h"

namespace waybill::rest {

namespace beast = boost::beast;
namespace http = boost::beast::http;

struct RequestReader::Parser : http::request_parser<http::string_body> {};

namespace {

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::kGet;
    case http::verb::head:
      return Method::kHead;
    case http::verb::post:
      return Method::kPost;
    case http::verb::put:
      return Method::kPut;
    case http::verb::delete_:
      return Method::kDelete;
    case http::verb::patch:
      return Method::kPatch;
    case http::verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

Reply refusal_of(const beast::error_code& problem) {
  if (problem == http::error::header_limit || problem == http::error::buffer_overflow) {
    return refusal(431, "headers_too_large", "the request's headers are larger than server.max_header_bytes");
  }
  if (problem == http::error::body_limit) {
    return refusal(413, "body_too_large", "the request's body is larger than server.max_body_bytes");
  }
  return refusal(400, "bad_request", "this is not an HTTP/1.1 request: " + problem.message());
}

// "http://host/path" as "/path": a client may send the whole URL.
std::string_view path_of(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.empty() || target.front() == '/' || scheme == std::string_view::npos) return target;
  const std::size_t slash = target.find('/', scheme + 3);
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

}  // namespace

RequestReader::RequestReader(std::size_t max_header_bytes, std::size_t max_body_bytes)
    : parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<std::uint32_t>(max_header_bytes));
  parser_->body_limit(max_body_bytes);
}
RequestReader::~RequestReader() = default;

void RequestReader::take(beast::flat_buffer& buffer) {
  put(buffer);
  if (refused_ || checked_ || !parser_->is_header_done()) return;
  checked_ = true;
  check_headers();
  if (refused_ || parser_->is_done()) return;
  parser_->eager(true);
  put(buffer);
}

void RequestReader::put(beast::flat_buffer& buffer) {
  while (buffer.size() > 0 && !parser_->is_done()) {
    started_ = true;
    beast::error_code problem;
    const std::size_t used = parser_->put(buffer.data(), problem);
    buffer.consume(used);
    if (problem == http::error::need_more) return;
    if (problem) {
      refused_ = refusal_of(problem);
      return;
    }
    if (!checked_ && parser_->is_header_done()) return;
  }
}

void RequestReader::check_headers() {
  const auto& request = parser_->get();
  const auto refuse = [&](unsigned status, std::string_view sentence) {
    refused_ = refusal(status, "bad_request", sentence);
  };
  if (request.version() != 10 && request.version() != 11)
    return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  const bool has_coding = request.count(http::field::transfer_encoding) > 0;
  if (has_coding && request.count(http::field::content_length) > 0) {
    return refuse(400, "a request has either a Content-Length or a Transfer-Encoding, not both");
  }
  if (has_coding && (!parser_->chunked() || request.count(http::field::transfer_encoding) > 1 ||
                     !same_letters(view(request[http::field::transfer_encoding]), "chunked"))) {
    return refuse(400, "the only transfer coding taken here is \"chunked\"");
  }
  if (has_coding && request.version() == 10) return refuse(400, "HTTP/1.0 knows no Transfer-Encoding");
  const std::string_view length = view(request[http::field::content_length]);
  if (length.find_first_not_of("0123456789") != std::string_view::npos) {
    return refuse(400,
                  "the Content-Length is no number");  // "5, 5" is allowed by the RFC and read in two ways
  }
  if (request.count(http::field::content_length) > 1) return refuse(400, "a request has one Content-Length");
  const auto hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && request.version() == 11))
    return refuse(400, "a request has exactly one Host header");
  const std::string_view target = path_of(view(request.target()));
  if (target.empty() || (target.front() != '/' && target != "*")) {
    return refuse(400, "the target of a request is a path that begins with /");
  }
  for (const auto& field : request) {
    if (is_clean_utf8(view(field.value()))) continue;
    return refuse(400, "the header " + std::string(view(field.name_string())) + " is not UTF-8");
  }
  const std::string_view expect = view(request[http::field::expect]);
  if (!expect.empty() && !same_letters(expect, "100-continue"))
    return refuse(417, "only 100-continue can be expected");
}

bool RequestReader::headers_just_ended() { return checked_ && !std::exchange(told_headers_, true); }

bool RequestReader::wants_continue() const {
  return !done() && parser_->get().version() == 11 && parser_->get().count(http::field::expect) > 0;
}

bool RequestReader::done() const { return checked_ && parser_->is_done(); }

std::size_t RequestReader::read_size() const { return checked_ ? 65536 : 4096; }

ReadOutcome RequestReader::refused() {
  ReadOutcome outcome;
  outcome.refused = std::move(refused_);
  if (checked_) outcome.request_id = sane_request_id(view(parser_->get()["X-Request-Id"]));
  return outcome;
}

ReadOutcome RequestReader::finish() {
  auto message = parser_->release();
  auto request = std::make_shared<Request>();
  request->method = method_of(message.method());
  request->method_name = view(message.method_string());
  request->target = path_of(view(message.target()));
  for (const auto& field : message) {
    request->headers.add(std::string(view(field.name_string())), std::string(view(field.value())));
  }
  request->body = std::move(message.body());
  if (const std::string* id = request->headers.find("X-Request-Id")) request->id = sane_request_id(*id);
  ReadOutcome outcome;
  outcome.request = std::move(request);
  outcome.keep_alive = message.keep_alive();
  outcome.http_1_0 = message.version() == 10;
  return outcome;
}

bool is_vital(const Request& request) {
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  return path == "/healthz" || path == "/readyz" || path == "/metrics";
}

}  // namespace waybill::rest
