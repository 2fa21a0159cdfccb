#pragma once

// JSON Web Tokens and the keys they are signed with. Pure: no clock, no network. Internal to api/rest.

#include <absl/status/statusor.h>
#include <absl/time/time.h>
#include <openssl/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace waybill::rest {

struct JwtRules {
  std::string issuer;    // must be the token's
  std::string audience;  // must be among the token's
  absl::Duration leeway = absl::Seconds(60);
};

// The RSA (2048 bits or more) and P-256 keys of a JWKS document, by key id. Immutable.
class JwtKeys {
 public:
  // Keys of other kinds are left out; InvalidArgument if the document is none.
  static absl::StatusOr<std::shared_ptr<const JwtKeys>> parse(std::string_view document);

  struct Key {
    std::string algorithm;  // "RS256" or "ES256"
    std::shared_ptr<EVP_PKEY> key;
  };
  [[nodiscard]] const Key* find(const std::string& id) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  std::map<std::string, Key> keys_;
};

// The subject of a token that is signed by one of the keys (RS256 or ES256, nothing else), for this audience
// and in its time. Unauthenticated says why not; the word "unknown_key" where its key is not among them.
[[nodiscard]] absl::StatusOr<std::string> verify_jwt(std::string_view token, const JwtKeys& keys,
                                                     const JwtRules& rules, absl::Time now);

// Strict base64url without padding.
[[nodiscard]] absl::StatusOr<std::string> base64url_decoded(std::string_view text);

}  // namespace waybill::rest
