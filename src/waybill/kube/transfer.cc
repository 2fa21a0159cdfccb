#include "waybill/kube/transfer.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <charconv>
#include <utility>

#include "waybill/base/status.h"

namespace waybill::kube {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostWaiting = std::size_t{256} << 10U;
constexpr long kReceiveBuffer = 64L << 10U;
constexpr int kFirstFinal = 200, kFirstRedirect = 300;

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
  static_cast<Transfer::Shared*>(self)->take_header({data, size * count});
  return size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) {
  const bool taken = static_cast<Transfer::Shared*>(self)->take_body({data, size * count});
  return taken ? size * count : CURL_WRITEFUNC_PAUSE;
}

int on_socket(void* self, curl_socket_t socket, curlsocktype /*purpose*/) {
  const auto timeout = static_cast<Transfer::Shared*>(self)->exchange.peer_timeout;
  const auto milliseconds = static_cast<unsigned>(absl::ToInt64Milliseconds(timeout));
  static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds));
  return CURL_SOCKOPT_OK;
}

long milliseconds(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? 0L : std::max(1L, absl::ToInt64Milliseconds(duration));
}
long seconds(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? 0L : std::max(1L, absl::ToInt64Seconds(duration));
}

void set_pem(CURL* easy, CURLoption option, const std::string& pem) {
  if (pem.empty()) return;
  curl_blob blob = {const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool is_header(std::string_view line, std::string_view name) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return line.size() > name.size() && line[name.size()] == ':' &&
         std::equal(name.begin(), name.end(), line.begin(), [&](char b, char a) { return same(a, b); });
}

absl::Status failure(CURLcode code, const std::string& words) {
  const std::string what = words.empty() ? std::string(curl_easy_strerror(code)) : words;
  const auto unavailable_because = [&](std::string_view word) {
    return error(absl::StatusCode::kUnavailable, word, "the API server can't be reached: " + what);
  };
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return error(absl::StatusCode::kFailedPrecondition, "tls",
                   "no trusted connection to the API server: " + what);
    case CURLE_SSL_CONNECT_ERROR:
      return unavailable_because("tls");
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable_because("unresolved");
    case CURLE_COULDNT_CONNECT:
      return unavailable_because("refused");
    case CURLE_OPERATION_TIMEDOUT:
      return unavailable_because("timeout");
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_URL_MALFORMAT:
      return unavailable_because("bad_answer");
    default:
      return error(absl::StatusCode::kUnavailable, "lost", "the connection to the API server broke: " + what);
  }
}

}  // namespace

absl::Status Transfer::Shared::prepare() {
  easy.reset(curl_easy_init());
  if (!easy) return unavailable("curl can't be started");
  CURL* handle = easy.get();
  curl_easy_setopt(handle, CURLOPT_URL, exchange.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PRIVATE, this);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kReceiveBuffer);
  // A stream that nobody reads would hold up all others of an HTTP/2 connection.
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION,
                   static_cast<long>(exchange.stream ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));

  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(exchange.connect_timeout));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, milliseconds(exchange.timeout));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, seconds(exchange.head_silence));
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPIDLE, seconds(exchange.peer_timeout / 2));
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPINTVL, seconds(exchange.peer_timeout / 6));
  curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, on_socket);
  curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, this);
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);  // a stop doesn't wait for a name server

  curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, exchange.verify ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, exchange.verify ? 2L : 0L);
  if (!exchange.ca.empty()) {  // only it, and none of the system's
    curl_easy_setopt(handle, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    set_pem(handle, CURLOPT_CAINFO_BLOB, exchange.ca);
  }
  curl_easy_setopt(handle, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(handle, CURLOPT_SSLKEYTYPE, "PEM");
  set_pem(handle, CURLOPT_SSLCERT_BLOB, exchange.certificate);
  set_pem(handle, CURLOPT_SSLKEY_BLOB, exchange.key);

  if (!exchange.proxy.empty()) {
    curl_easy_setopt(handle, CURLOPT_PROXY, exchange.proxy.c_str());
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "");
  }
  curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!exchange.connect_to.empty()) {
    connect_to.reset(curl_slist_append(nullptr, ("::" + exchange.connect_to).c_str()));
    curl_easy_setopt(handle, CURLOPT_CONNECT_TO, connect_to.get());
  }

  if (exchange.method != "GET") curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, exchange.method.c_str());
  if (!exchange.body.empty() || exchange.method == "POST") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(exchange.body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, exchange.body.c_str());
  }
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : exchange.headers) list = curl_slist_append(list, header.c_str());
  headers.reset(list);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  return absl::OkStatus();
}

void Transfer::Shared::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    arriving = {};
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), arriving.status);
  } else if (is_header(line, "content-type")) {
    arriving.content_type = trimmed(line.substr(line.find(':') + 1));
  } else if (is_header(line, "retry-after")) {
    arriving.retry_after = trimmed(line.substr(line.find(':') + 1));
  } else if (trimmed(line).empty() && arriving.status >= kFirstFinal) {
    if (arriving.status < kFirstRedirect) {
      curl_easy_setopt(easy.get(), CURLOPT_LOW_SPEED_LIMIT,
                       exchange.silence == absl::InfiniteDuration() ? 0L : 1L);
      curl_easy_setopt(easy.get(), CURLOPT_LOW_SPEED_TIME, seconds(exchange.silence));
    }
    const std::scoped_lock lock(mutex);
    if (!head) head = arriving;
    wake();
  }
}

bool Transfer::Shared::take_body(std::string_view bytes) {
  const std::scoped_lock lock(mutex);
  paused = body.size() >= kMostWaiting;
  if (paused) return false;
  body.append(bytes);
  wake();
  return true;
}

void Transfer::Shared::finish(CURLcode outcome) {
  if (outcome == CURLE_OK && arriving.status == 0) outcome = CURLE_GOT_NOTHING;
  finish_with(outcome == CURLE_OK ? absl::OkStatus() : failure(outcome, words.data()));
}

void Transfer::Shared::finish_with(absl::Status status) {
  const std::scoped_lock lock(mutex);
  if (end) return;
  end = std::move(status);
  wake();
}

void Transfer::Shared::wake() {
  if (auto tell = std::exchange(waiting, nullptr)) tell();
}

bool Transfer::Shared::has(Awaited what) const {
  return end.has_value() || (what == Awaited::kHead ? head.has_value() : !body.empty());
}

Task<void> Transfer::Shared::changed(Awaited what) {
  auto start = [self = shared_from_this(), what](auto handler) {
    auto executor = asio::get_associated_executor(handler);
    auto guard = asio::prefer(executor, asio::execution::outstanding_work.tracked);
    auto tell = [executor, guard = std::move(guard), handler = std::move(handler)]() mutable {
      asio::post(executor, [guard = std::move(guard), handler = std::move(handler)]() mutable {
        std::move(handler)();
      });
    };
    const std::scoped_lock lock(self->mutex);
    if (self->has(what)) {
      tell();
    } else {
      self->waiting = std::move(tell);
    }
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(start), asio::use_awaitable);
}

Transfer::~Transfer() { cancel(); }

void Transfer::cancel() {
  shared_->finish_with(
      error(absl::StatusCode::kCancelled, "canceled", "the call to the API server was given up"));
  if (const auto loop = shared_->loop.lock()) loop->drop(shared_);
}

Task<absl::StatusOr<AnswerHead>> Transfer::head() {
  const std::shared_ptr<Shared> shared = shared_;
  co_await shared->changed(Shared::Awaited::kHead);
  const std::scoped_lock lock(shared->mutex);
  if (shared->head) co_return *shared->head;
  co_return shared->end->ok() ? unavailable("the API server answered nothing") : *shared->end;
}

Task<absl::StatusOr<std::string>> Transfer::read() {
  const std::shared_ptr<Shared> shared = shared_;
  co_await shared->changed(Shared::Awaited::kBody);
  std::string bytes;
  bool resume = false;
  {
    const std::scoped_lock lock(shared->mutex);
    const bool given_up = shared->end && shared->end->code() == absl::StatusCode::kCancelled;
    if (shared->body.empty() || given_up) {
      if (shared->end->ok()) co_return std::string();
      co_return *shared->end;
    }
    bytes = std::exchange(shared->body, {});
    resume = std::exchange(shared->paused, false);
  }
  const auto loop = shared->loop.lock();
  if (resume && loop) loop->resume(shared);
  co_return bytes;
}

}  // namespace waybill::kube
