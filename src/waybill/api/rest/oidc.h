#pragma once

// Bearer tokens of an OpenID provider. Internal to api/rest.

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
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
[[nodiscard]] FetchDocument fetch_by_curl(absl::Duration timeout = absl::Seconds(10));

struct TokenOptions {
  JwtRules rules;
  std::string jwks_uri;  // "" : what the issuer's /.well-known/openid-configuration says
};

// Verifies tokens with the provider's keys. They are fetched anew after ten minutes, while those from before
// still count, and when a token names a key that is not among them, which waits; at most every ten seconds.
// On the io thread.
class TokenVerifier {
 public:
  TokenVerifier(boost::asio::any_io_executor io, Pool& pool, ports::Clock& clock, Log& log,
                TokenOptions options, FetchDocument fetch);

  // The subject. Unauthenticated: a bad token; Unavailable: the provider's keys can't be had.
  Task<absl::StatusOr<std::string>> verify(std::string token);

 private:
  struct Core;
  static Task<void> refresh(std::shared_ptr<Core> core);
  static void refresh_aside(std::shared_ptr<Core> core);

  std::shared_ptr<Core> core_;  // with a fetch that goes on
};

}  // namespace waybill::rest
