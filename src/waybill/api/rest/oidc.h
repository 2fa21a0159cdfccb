#pragma once

// Bearer tokens of an OpenID provider. Internal to api/rest.

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "waybill/api/rest/jwt.h"
#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/task.h"
#include "waybill/ports/clock.h"

namespace waybill::rest {

// GETs a document; blocks, runs on a pool.
using FetchDocument = std::function<absl::StatusOr<std::string>(const std::string& url)>;
[[nodiscard]] FetchDocument fetch_by_curl();

struct TokenOptions {
  JwtRules rules;
  std::string jwks_uri;  // "" : what the issuer's /.well-known/openid-configuration says
};

// Verifies tokens with the provider's keys, which are kept for ten minutes and fetched anew, at most every
// ten seconds, when a token names a key that is not among them. On the io thread.
class TokenVerifier {
 public:
  TokenVerifier(boost::asio::any_io_executor io, Pool& pool, ports::Clock& clock, Log& log,
                TokenOptions options, FetchDocument fetch);

  // The subject. Unauthenticated: a bad token; Unavailable: the provider's keys can't be had.
  Task<absl::StatusOr<std::string>> verify(std::string token);

 private:
  Task<absl::Status> refresh();

  Pool& pool_;
  ports::Clock& clock_;
  Log& log_;
  TokenOptions options_;
  FetchDocument fetch_;
  std::shared_ptr<const JwtKeys> keys_;
  absl::Time fetched_ = absl::InfinitePast();
  absl::Time tried_ = absl::InfinitePast();
  bool fetching_ = false;
  boost::asio::steady_timer done_;  // cancelled when a fetch has ended
};

}  // namespace waybill::rest
