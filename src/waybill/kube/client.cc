#include "waybill/kube/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/credentials.h"
#include "waybill/kube/transport.h"

namespace waybill::kube {
namespace {

constexpr std::size_t kMostBody = std::size_t{64} << 20U;
constexpr std::size_t kMostErrorBody = std::size_t{64} << 10U;
constexpr int kOk = 200, kRedirect = 300, kUnauthorized = 401;

// https://HOST:PORT of a server, and its path.
struct ServerUrl {
  std::string origin;
  std::string scheme;
  std::string host_port;  // with the scheme's port where the URL has none
  std::string port;
  std::string path;
};

ServerUrl split(const std::string& server) {
  ServerUrl url;
  const std::size_t host = server.find("://") + 3;
  const std::size_t path = std::min(server.find('/', host), server.size());
  url.scheme = server.substr(0, host - 3);
  url.origin = server.substr(0, path);
  url.path = server.substr(path);
  url.host_port = server.substr(host, path - host);
  const std::size_t colon = url.host_port.rfind(':');
  const bool has_port = colon != std::string::npos && url.host_port.find(']', colon) == std::string::npos;
  url.port = has_port ? url.host_port.substr(colon + 1) : url.scheme == "https" ? "443" : "80";
  if (!has_port) url.host_port += ":" + url.port;
  return url;
}

std::string with_query(std::string target, const Query& query) {
  char before = '?';
  for (const auto& [name, value] : query) {
    target += before + url_encoded(name) + "=" + url_encoded(value);
    before = '&';
  }
  return target;
}

// A call under way, that somebody else may give up.
struct Attempt {
  std::shared_ptr<Transfer> transfer;
  bool given_up = false;
};

absl::Status given_up() {
  return error(absl::StatusCode::kCancelled, "canceled", "the call to the API server was given up");
}

Task<absl::StatusOr<std::string>> whole_body(std::shared_ptr<Transfer> transfer, std::size_t most) {
  std::string body;
  while (true) {
    absl::StatusOr<std::string> bytes = co_await transfer->read();
    WB_CO_TRY(bytes);
    if (bytes->empty()) co_return body;
    body += *bytes;
    if (body.size() > most)
      co_return error(absl::StatusCode::kUnavailable, "too_large",
                      fmt::format("the API server's answer has more than {} bytes", most));
  }
}

}  // namespace

struct Client::Core {
  Core(boost::asio::any_io_executor io, ports::Clock& clock, Access what, ClientOptions how)
      : access(std::move(what)),
        options(std::move(how)),
        url(split(access.server)),
        credentials(std::move(io), clock, access, {options.read_files_every, options.exec_timeout}) {}

  // Comes back once the answer is known to be a 2xx: its body is to be read from attempt->transfer.
  static Task<absl::Status> begin(std::shared_ptr<Core> self, ApiRequest request, bool stream,
                                  std::shared_ptr<Attempt> attempt) {
    const std::string what = request.method + " " + request.path;
    for (bool again = false;; again = true) {
      if (self->stopping || attempt->given_up) co_return given_up();
      absl::StatusOr<std::shared_ptr<const Proof>> proof = co_await self->credentials.proof();
      WB_CO_TRY(proof);
      if (self->stopping || attempt->given_up) co_return given_up();
      attempt->transfer = self->transport.start(self->exchange(request, **proof, stream));
      const std::shared_ptr<Transfer> transfer = attempt->transfer;
      absl::StatusOr<AnswerHead> head = co_await transfer->head();
      if (!head.ok()) co_return prefixed(head.status(), self->access.server);
      if (head->status >= kOk && head->status < kRedirect) co_return absl::OkStatus();
      absl::StatusOr<std::string> body = co_await whole_body(transfer, kMostErrorBody);
      if (head->status == kUnauthorized && !again && !self->stopping) {
        self->credentials.refused(*proof);
        absl::StatusOr<std::shared_ptr<const Proof>> other = co_await self->credentials.proof();
        if (other.ok() && *other != *proof) continue;
      }
      co_return to_status(parse_api_error(head->status, body.value_or(""), head->retry_after), what);
    }
  }

  [[nodiscard]] Exchange exchange(const ApiRequest& request, const Proof& proof, bool stream) const {
    Exchange made;
    made.method = request.method;
    made.url = with_query(url.origin + url.path + request.path, request.query);
    made.headers = {"User-Agent: " + options.user_agent, "Accept: " + request.accept};
    if (!request.body.empty()) made.headers.push_back("Content-Type: " + request.content_type);
    if (!proof.authorization.empty()) made.headers.push_back("Authorization: " + proof.authorization);
    if (!access.tls_server_name.empty() && url.scheme == "https") {
      // The name to ask for and to check is the URL's, so the URL gets it and is led to the real place.
      made.url = with_query("https://" + access.tls_server_name + ":" + url.port + url.path + request.path,
                            request.query);
      made.connect_to = url.host_port;
      made.headers.push_back("Host: " + url.host_port);
    }
    made.body = request.body;
    made.proxy = access.proxy_url;
    made.verify = !access.insecure_skip_tls_verify;
    made.ca = proof.ca;
    made.certificate = proof.certificate;
    made.key = proof.key;
    made.stream = stream;
    made.connect_timeout = options.connect_timeout;
    made.timeout = stream ? absl::InfiniteDuration() : options.call_timeout;
    made.head_silence = std::min(options.call_timeout, request.silence);
    made.silence = request.silence;
    made.peer_timeout = options.peer_timeout;
    return made;
  }

  const Access access;
  const ClientOptions options;
  const ServerUrl url;
  Credentials credentials;
  Transport transport;
  bool stopping = false;
};

Client::Client(boost::asio::any_io_executor io, ports::Clock& clock, Access access, ClientOptions options)
    : core_(std::make_shared<Core>(std::move(io), clock, std::move(access), std::move(options))) {}

Client::~Client() {
  core_->stopping = true;
  core_->credentials.stop();
  core_->transport.stop();
}

// Asks when it is first read.
class Client::Stream : public ByteStream {
 public:
  Stream(std::shared_ptr<Core> core, ApiRequest request)
      : core_(std::move(core)), request_(std::move(request)), attempt_(std::make_shared<Attempt>()) {}
  ~Stream() override { Stream::cancel(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Task<absl::StatusOr<std::string>> read() override {
    return more(core_, attempt_, std::exchange(request_, {}));
  }
  void cancel() override {
    attempt_->given_up = true;
    if (attempt_->transfer != nullptr) attempt_->transfer->cancel();
  }

 private:
  static Task<absl::StatusOr<std::string>> more(std::shared_ptr<Core> core, std::shared_ptr<Attempt> attempt,
                                                ApiRequest request) {
    if (attempt->given_up) co_return given_up();
    if (!request.path.empty()) {
      const absl::Status begun = co_await Core::begin(core, std::move(request), true, attempt);
      WB_CO_TRY(begun);
    }
    if (attempt->transfer == nullptr) co_return given_up();
    const std::shared_ptr<Transfer> transfer = attempt->transfer;
    co_return co_await transfer->read();
  }

  std::shared_ptr<Core> core_;
  ApiRequest request_;  // until it was sent
  std::shared_ptr<Attempt> attempt_;
};

Task<absl::StatusOr<std::string>> Client::send(ApiRequest request) {
  const std::shared_ptr<Core> core = core_;
  const std::string what = request.method + " " + request.path;
  const auto attempt = std::make_shared<Attempt>();
  const absl::Status begun = co_await Core::begin(core, std::move(request), false, attempt);
  WB_CO_TRY(begun);
  absl::StatusOr<std::string> body = co_await whole_body(attempt->transfer, kMostBody);
  if (!body.ok()) co_return prefixed(body.status(), what);
  co_return body;
}

std::unique_ptr<ByteStream> Client::open(ApiRequest request) {
  return std::make_unique<Stream>(core_, std::move(request));
}

const std::string& Client::server() const { return core_->access.server; }
const std::string& Client::name_space() const { return core_->access.name_space; }

}  // namespace waybill::kube
