#pragma once

// Keys and tokens as an OpenID provider makes them.

#include <absl/time/time.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/api/rest/jwt.h"

namespace waybill::rest {

inline std::string base64url(std::string_view text) {
  std::string out(4 * (text.size() + 2) / 3 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(size));
  while (out.ends_with('=')) out.pop_back();
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

// A key pair that signs as a provider would.
class Signer {
 public:
  explicit Signer(bool rsa, unsigned bits = 2048)
      : rsa_(rsa), key_(rsa ? EVP_RSA_gen(bits) : EVP_EC_gen("P-256"), EVP_PKEY_free) {}

  [[nodiscard]] std::string jwk(const std::string& kid) const {
    if (!rsa_) {
      return R"({"kty":"EC","crv":"P-256","kid":")" + kid + R"(","x":")" +
             number(OSSL_PKEY_PARAM_EC_PUB_X, 32) + R"(","y":")" + number(OSSL_PKEY_PARAM_EC_PUB_Y, 32) +
             "\"}";
    }
    return R"({"kty":"RSA","use":"sig","kid":")" + kid + R"(","n":")" + number(OSSL_PKEY_PARAM_RSA_N, 0) +
           R"(","e":")" + number(OSSL_PKEY_PARAM_RSA_E, 0) + "\"}";
  }
  [[nodiscard]] std::string token(const std::string& claims, const std::string& kid = "k",
                                  const std::string& algorithm = "") const {
    const std::string alg = algorithm.empty() ? (rsa_ ? "RS256" : "ES256") : algorithm;
    const std::string text =
        base64url(R"({"alg":")" + alg + R"(","kid":")" + kid + "\"}") + "." + base64url(claims);
    return text + "." + base64url(signature(text));
  }

 private:
  [[nodiscard]] std::string number(const char* name, int size) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string bytes(static_cast<std::size_t>(size > 0 ? size : BN_num_bytes(value)), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    BN_free(value);
    return base64url(bytes);
  }
  [[nodiscard]] std::string signature(const std::string& text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_.get());
    std::size_t size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    EVP_DigestSign(context, nullptr, &size, bytes, text.size());
    std::string out(size, '\0');
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, bytes, text.size());
    EVP_MD_CTX_free(context);
    out.resize(size);
    return rsa_ ? out : raw(out);
  }
  static std::string raw(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* parts = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    std::string out(64, '\0');
    BN_bn2binpad(ECDSA_SIG_get0_r(parts), reinterpret_cast<unsigned char*>(out.data()), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(parts), reinterpret_cast<unsigned char*>(out.data()) + 32, 32);
    ECDSA_SIG_free(parts);
    return out;
  }

  bool rsa_;
  std::shared_ptr<EVP_PKEY> key_;
};

inline constexpr std::int64_t kNow = 1'780'000'000;
inline const absl::Time kTime = absl::FromUnixSeconds(kNow);

inline std::string claims(const std::string& more = R"("exp":1780000300)") {
  return R"({"iss":"https://id.example.com","aud":["other","waybill"],"sub":"alice",)" + more + "}";
}

inline JwtRules rules() { return {"https://id.example.com", "waybill", absl::Seconds(60)}; }

inline std::string document(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ",") + key;
  return R"({"keys":[)" + text + "]}";
}

}  // namespace waybill::rest
