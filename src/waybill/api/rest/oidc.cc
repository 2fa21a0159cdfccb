#include "waybill/api/rest/oidc.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);
constexpr absl::Duration kKeep = absl::Minutes(10);
constexpr absl::Duration kBetweenTries = absl::Seconds(10);
constexpr std::size_t kDocumentBytes = 1U << 20U;

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* into) {
  auto& text = *static_cast<std::string*>(into);
  if (text.size() + size * count > kDocumentBytes) return 0;
  text.append(bytes, size * count);
  return size * count;
}

absl::StatusOr<std::string> get(const std::string& url) {
  struct Cleanup {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };
  const std::unique_ptr<CURL, Cleanup> curl(curl_easy_init());
  if (!curl) return unavailable("curl can't be started");
  std::string text;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, 10'000L);
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &text);
  const CURLcode result = curl_easy_perform(curl.get());
  if (result != CURLE_OK) return unavailable(fmt::format("{}: {}", url, curl_easy_strerror(result)));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return unavailable(fmt::format("{} answered {}", url, status));
  return text;
}

// Blocks; on the pool.
absl::StatusOr<std::shared_ptr<const JwtKeys>> fetch_keys(const FetchDocument& fetch,
                                                          const TokenOptions& options) {
  std::string uri = options.jwks_uri;
  if (uri.empty()) {
    std::string issuer = options.rules.issuer;
    while (issuer.ends_with('/')) issuer.pop_back();
    WB_ASSIGN(const std::string text, fetch(issuer + "/.well-known/openid-configuration"));
    WB_ASSIGN(const boost::json::value document, parse_json(text));
    const auto* found = document.is_object() ? document.get_object().if_contains("jwks_uri") : nullptr;
    if (found == nullptr || !found->is_string())
      return unavailable("the issuer's configuration names no jwks_uri");
    uri = found->get_string();
  }
  WB_ASSIGN(const std::string text, fetch(uri));
  return JwtKeys::parse(text);
}

}  // namespace

FetchDocument fetch_by_curl() { return get; }

TokenVerifier::TokenVerifier(boost::asio::any_io_executor io, Pool& pool, ports::Clock& clock, Log& log,
                             TokenOptions options, FetchDocument fetch)
    : pool_(pool),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      fetch_(std::move(fetch)),
      done_(std::move(io), boost::asio::steady_timer::time_point::max()) {}

Task<absl::Status> TokenVerifier::refresh() {
  if (fetching_) {
    auto [ignored] = co_await done_.async_wait(kAsTuple);
    static_cast<void>(ignored);
    co_return absl::OkStatus();
  }
  if (clock_.now() - tried_ < kBetweenTries) co_return absl::OkStatus();
  fetching_ = true;
  tried_ = clock_.now();
  absl::StatusOr<std::shared_ptr<const JwtKeys>> keys =
      co_await on(pool_, [fetch = fetch_, options = options_] { return fetch_keys(fetch, options); });
  fetching_ = false;
  done_.cancel();
  if (!keys.ok()) {
    log_.warn("can't fetch the keys of the OpenID provider", {{"what", message(keys.status())}});
    co_return keys.status();
  }
  keys_ = *std::move(keys);
  fetched_ = clock_.now();
  co_return absl::OkStatus();
}

Task<absl::StatusOr<std::string>> TokenVerifier::verify(std::string token) {
  if (keys_ == nullptr || clock_.now() - fetched_ > kKeep) {
    const absl::Status refreshed = co_await refresh();
    static_cast<void>(refreshed);  // keys from before are good until the provider can be asked again
  }
  if (keys_ == nullptr)
    co_return unavailable("the keys of the OpenID provider can't be had: try again later");
  absl::StatusOr<std::string> subject = verify_jwt(token, *keys_, options_.rules, clock_.now());
  if (subject.ok() || error_word(subject.status()) != "unknown_key") co_return subject;
  const absl::Status refreshed = co_await refresh();
  static_cast<void>(refreshed);
  co_return verify_jwt(token, *keys_, options_.rules, clock_.now());
}

}  // namespace waybill::rest
