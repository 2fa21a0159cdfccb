#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/cli/settings.h"

namespace waybill::cli {

struct HttpRequest {
  std::string method = "GET";
  std::string target = {};  // path and query under the server's URL, encoded: "/api/v1/jobs?limit=5"
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  absl::Duration timeout = absl::Seconds(60);  // of the whole exchange; infinite: only a dead peer ends it
  std::size_t body_limit = std::size_t{64} << 20U;
};

struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case, the last of doubled ones
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const;  // "" : not there
};

// An answer that is read while it comes.
class HttpStream {
 public:
  struct Exchange;
  explicit HttpStream(std::unique_ptr<Exchange> exchange);
  ~HttpStream();
  HttpStream(HttpStream&&) noexcept;
  HttpStream& operator=(HttpStream&&) noexcept;

  // Waits for the status and the headers. The body is not in it.
  absl::StatusOr<HttpReply> head();
  // More of the body: empty where nothing came within `at_most`, or at its end (ended()).
  absl::StatusOr<std::string> read(absl::Duration at_most = absl::InfiniteDuration());
  // The whole body was read. A body that broke off never ends: read() says the error.
  [[nodiscard]] bool ended() const;

 private:
  std::unique_ptr<Exchange> exchange_;
};

// HTTP by libcurl. Redirects are not followed, only http and https are spoken. Errors by their word:
// "refused" (nobody listens there), "unresolved", "lost" (the connection broke: whether the server acted is
// unknown), "timeout", "tls", "too_large", "bad_answer" (no HTTP), "interrupted".
class Http {
 public:
  Http(Settings settings, const Environment& environment);

  [[nodiscard]] absl::StatusOr<HttpReply> send(const HttpRequest& request) const;
  [[nodiscard]] absl::StatusOr<HttpStream> open(const HttpRequest& request) const;
  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
  const Environment& environment_;
};

// Percent-encoded for a path segment or a query value.
[[nodiscard]] std::string url_encoded(std::string_view text);

}  // namespace waybill::cli
