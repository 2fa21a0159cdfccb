#include "waybill/cli/http.h"

#include <absl/time/clock.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "waybill/base/status.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kSilentSeconds = 90;  // a server that sends nothing for so long is taken for dead
constexpr int kStepMilliseconds = 1000;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

struct EasyCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiCloser {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

}  // namespace

std::string HttpReply::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

struct HttpStream::Exchange {
  HttpRequest request;
  Settings settings;
  const Environment& environment;
  std::unique_ptr<CURLM, MultiCloser> multi;
  std::unique_ptr<curl_slist, ListCloser> headers;
  std::unique_ptr<CURL, EasyCloser> easy;
  HttpReply reply = {};
  std::string arrived = {};  // of the body, not yet read
  std::size_t received = 0;
  bool head_complete = false;
  bool too_large = false;
  bool done = false;
  CURLcode outcome = CURLE_OK;

  ~Exchange() {
    if (easy && multi) curl_multi_remove_handle(multi.get(), easy.get());
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
    static_cast<Exchange*>(self)->take_header({data, size * count});
    return size * count;
  }
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Exchange*>(self)->take_body({data, size * count}) ? size * count : 0;
  }

  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      reply.headers.clear();
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      reply.headers[lower(std::string(line.substr(0, colon)))] = trimmed(line.substr(colon + 1));
      return;
    }
    if (!trimmed(line).empty()) return;
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    reply.status = static_cast<int>(status);
    head_complete = status >= 200;
  }

  bool take_body(std::string_view bytes) {
    head_complete = true;
    received += bytes.size();
    too_large = received > request.body_limit;
    if (too_large) return false;
    arrived += bytes;
    return true;
  }

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy.get(), option, value);
  }

  void add_line(const std::string& line) {
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) return;
    static_cast<void>(headers.release());
    headers.reset(longer);
  }

  void add_header(const std::string& name, const std::string& value) { add_line(name + ": " + value); }

  void add_headers() {
    if (!settings.token.empty()) {
      add_header("Authorization", "Bearer " + settings.token);
    } else if (!settings.user.empty()) {
      add_header("X-Heimdall-User", settings.user);
    }
    if (!request.body.empty()) add_header("Content-Type", "application/json");
    add_line("Expect:");  // no waiting for "100 Continue"
    for (const auto& [name, value] : request.headers) add_header(name, value);
  }

  void configure() {
    const std::string url = (settings.socket.empty() ? settings.url : "http://localhost") + request.target;
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "waybill/" WAYBILL_VERSION);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, 30L);
    set(CURLOPT_TCP_KEEPINTVL, 10L);
    if (!settings.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, settings.socket.c_str());
    if (!settings.socket.empty() || is_loopback_url(settings.url)) set(CURLOPT_PROXY, "");
    if (!settings.ca_file.empty()) set(CURLOPT_CAINFO, settings.ca_file.c_str());
    if (request.timeout != absl::InfiniteDuration()) {
      const auto milliseconds =
          std::min<std::int64_t>(absl::ToInt64Milliseconds(request.timeout), std::numeric_limits<int>::max());
      set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(milliseconds, 1)));
      set(CURLOPT_LOW_SPEED_LIMIT, 1L);
      set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    }
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method != "GET") {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_POSTFIELDS, request.body.c_str());
    }
    add_headers();
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  }

  // Lets the exchange go on, waiting at most so long for something to happen.
  absl::Status step(absl::Duration at_most) {
    if (environment.interrupted()) return interrupted_error();
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    note_end();
    if (done || !arrived.empty()) return absl::OkStatus();
    curl_waitfd interrupt{.fd = environment.interrupt_fd, .events = CURL_WAIT_POLLIN, .revents = 0};
    const auto wait = std::clamp<std::int64_t>(absl::ToInt64Milliseconds(at_most), 0, kStepMilliseconds);
    curl_multi_poll(multi.get(), &interrupt, environment.interrupt_fd >= 0 ? 1 : 0, static_cast<int>(wait),
                    nullptr);
    curl_multi_perform(multi.get(), &running);
    note_end();
    return absl::OkStatus();
  }

  void note_end() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      done = true;
      outcome = message->data.result;
    }
  }

  [[nodiscard]] absl::Status problem() const;
};

absl::Status HttpStream::Exchange::problem() const {
  const std::string where = fmt::format("{} (from {})", made_visible(settings.url), settings.url_origin);
  const auto failed = [&](absl::StatusCode code, std::string_view word, std::string_view what) {
    return error(code, word, fmt::format("{} {}", where, what));
  };
  if (too_large) {
    return failed(absl::StatusCode::kResourceExhausted, "too_large",
                  fmt::format("answered more than {} MiB", request.body_limit >> 20U));
  }
  switch (outcome) {
    case CURLE_OK:
      return absl::OkStatus();
    case CURLE_COULDNT_CONNECT:
      return with_hint(error(absl::StatusCode::kUnavailable, "refused",
                             fmt::format("nobody answers at {}: the connection was refused", where)),
                       "start the server with `waybill serve`, or name another with --url or WAYBILL_URL");
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return with_hint(error(absl::StatusCode::kUnavailable, "unresolved",
                             fmt::format("the host of {} is not known", where)),
                       "check the name with --url or WAYBILL_URL");
    case CURLE_OPERATION_TIMEDOUT:
      return failed(absl::StatusCode::kDeadlineExceeded, "timeout", "did not answer in time");
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return failed(absl::StatusCode::kUnavailable, "lost",
                    "broke the connection before its answer was complete");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
      return with_hint(failed(absl::StatusCode::kUnavailable, "tls",
                              fmt::format("can't be trusted: {}", curl_easy_strerror(outcome))),
                       "name the authority's certificate with --ca or WAYBILL_CA");
    default:
      return failed(absl::StatusCode::kUnavailable, "bad_answer",
                    fmt::format("does not speak HTTP as expected: {}", curl_easy_strerror(outcome)));
  }
}

HttpStream::HttpStream(std::unique_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
HttpStream::~HttpStream() = default;
HttpStream::HttpStream(HttpStream&&) noexcept = default;
HttpStream& HttpStream::operator=(HttpStream&&) noexcept = default;

absl::StatusOr<HttpReply> HttpStream::head() {
  while (!exchange_->head_complete && !exchange_->done) {
    WB_TRY(exchange_->step(absl::InfiniteDuration()));
  }
  if (!exchange_->head_complete) {
    WB_TRY(exchange_->problem());
  }
  return exchange_->reply;
}

absl::StatusOr<std::string> HttpStream::read(absl::Duration at_most) {
  Exchange& exchange = *exchange_;
  const absl::Time deadline = absl::Now() + at_most;
  while (exchange.arrived.empty() && !exchange.done) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return std::string();
    WB_TRY(exchange.step(left));
  }
  if (exchange.arrived.empty()) {
    WB_TRY(exchange.problem());
  }
  return std::exchange(exchange.arrived, std::string());
}

bool HttpStream::ended() const {
  return exchange_->done && exchange_->arrived.empty() && exchange_->outcome == CURLE_OK;
}

Http::Http(Settings settings, const Environment& environment)
    : settings_(std::move(settings)), environment_(environment) {}

absl::StatusOr<HttpStream> Http::open(const HttpRequest& request) const {
  std::unique_ptr<HttpStream::Exchange> exchange(
      new HttpStream::Exchange{.request = request,
                               .settings = settings_,
                               .environment = environment_,
                               .multi = std::unique_ptr<CURLM, MultiCloser>(curl_multi_init()),
                               .headers = nullptr,
                               .easy = std::unique_ptr<CURL, EasyCloser>(curl_easy_init())});
  if (!exchange->multi || !exchange->easy) return unavailable("no connection can be made: out of memory");
  exchange->configure();
  curl_multi_add_handle(exchange->multi.get(), exchange->easy.get());
  return HttpStream(std::move(exchange));
}

absl::StatusOr<HttpReply> Http::send(const HttpRequest& request) const {
  WB_ASSIGN(HttpStream stream, open(request));
  WB_ASSIGN(HttpReply reply, stream.head());
  while (!stream.ended()) {
    WB_ASSIGN(const std::string piece, stream.read());
    reply.body += piece;
  }
  return reply;
}

std::string url_encoded(std::string_view text) {
  if (text.empty()) return "";
  char* encoded = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  if (encoded == nullptr) return "";
  std::string copy = encoded;
  curl_free(encoded);
  return copy;
}

}  // namespace waybill::cli
