#include "waybill/api/rest/oidc.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <exception>
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

absl::StatusOr<std::string> get(const std::string& url, absl::Duration timeout) {
  struct Cleanup {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };
  const std::unique_ptr<CURL, Cleanup> curl(curl_easy_init());
  if (!curl) return unavailable("curl can't be started");
  std::string text;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(absl::ToInt64Milliseconds(timeout)));
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

FetchDocument fetch_by_curl(absl::Duration timeout) {
  return [timeout](const std::string& url) { return get(url, timeout); };
}

struct TokenVerifier::Core {
  boost::asio::any_io_executor io;
  Pool& pool;
  ports::Clock& clock;
  Log& log;
  TokenOptions options;
  FetchDocument fetch;
  boost::asio::steady_timer fetched_anew;  // cancelled when a fetch has ended
  std::shared_ptr<const JwtKeys> keys = nullptr;
  absl::Time fetched = absl::InfinitePast();
  absl::Time tried = absl::InfinitePast();
  bool fetching = false;
};

TokenVerifier::TokenVerifier(boost::asio::any_io_executor io, Pool& pool, ports::Clock& clock, Log& log,
                             TokenOptions options, FetchDocument fetch)
    : core_(
          std::make_shared<Core>(Core{.io = io,
                                      .pool = pool,
                                      .clock = clock,
                                      .log = log,
                                      .options = std::move(options),
                                      .fetch = std::move(fetch),
                                      .fetched_anew = {io, boost::asio::steady_timer::time_point::max()}})) {}

// Ends when the keys are as new as they can be now.
Task<void> TokenVerifier::refresh(std::shared_ptr<Core> core) {
  if (core->fetching) {
    auto [ignored] = co_await core->fetched_anew.async_wait(kAsTuple);
    static_cast<void>(ignored);
    co_return;
  }
  if (core->clock.now() - core->tried < kBetweenTries) co_return;
  core->fetching = true;
  core->tried = core->clock.now();
  absl::StatusOr<std::shared_ptr<const JwtKeys>> keys = co_await on(
      core->pool, [fetch = core->fetch, options = core->options] { return fetch_keys(fetch, options); });
  core->fetching = false;
  if (keys.ok()) {
    core->keys = *std::move(keys);
    core->fetched = core->clock.now();
  } else {
    core->log.warn("can't fetch the keys of the OpenID provider", {{"what", message(keys.status())}});
  }
  core->fetched_anew.cancel();
}

void TokenVerifier::refresh_aside(std::shared_ptr<Core> core) {
  boost::asio::co_spawn(core->io, refresh(core), [core](const std::exception_ptr& problem) {
    if (problem) core->log.error("fetching the keys of the OpenID provider ended early");
  });
}

Task<absl::StatusOr<std::string>> TokenVerifier::verify(std::string token) {
  const std::shared_ptr<Core> core = core_;
  if (core->keys == nullptr) {
    co_await refresh(core);
  } else if (core->clock.now() - core->fetched > kKeep) {
    refresh_aside(core);
  }
  if (core->keys == nullptr)
    co_return unavailable("the keys of the OpenID provider can't be had: try again later");
  absl::StatusOr<std::string> subject =
      verify_jwt(token, *core->keys, core->options.rules, core->clock.now());
  if (subject.ok() || error_word(subject.status()) != "unknown_key") co_return subject;
  co_await refresh(core);
  co_return verify_jwt(token, *core->keys, core->options.rules, core->clock.now());
}

}  // namespace waybill::rest
