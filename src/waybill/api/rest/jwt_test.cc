#include "waybill/api/rest/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/test_io.h"
#include "waybill/api/rest/oidc.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

using ::testing::HasSubstr;

std::string base64url(std::string_view text) {
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

constexpr std::int64_t kNow = 1'780'000'000;
const absl::Time kTime = absl::FromUnixSeconds(kNow);

std::string claims(const std::string& more = R"("exp":1780000300)") {
  return R"({"iss":"https://id.example.com","aud":["other","waybill"],"sub":"alice",)" + more + "}";
}

JwtRules rules() { return {"https://id.example.com", "waybill", absl::Seconds(60)}; }

std::string document(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ",") + key;
  return R"({"keys":[)" + text + "]}";
}

class JwtTest : public ::testing::Test {
 protected:
  std::string refusal(const std::string& token) const {
    const auto subject = verify_jwt(token, *keys_, rules(), kTime);
    EXPECT_FALSE(subject.ok()) << token;
    if (subject.ok()) return "";
    EXPECT_EQ(subject.status().code(), absl::StatusCode::kUnauthenticated);
    return std::string(subject.status().message());
  }
  Signer rsa_{true};
  Signer ec_{false};
  std::shared_ptr<const JwtKeys> keys_ = *JwtKeys::parse(document({rsa_.jwk("k"), ec_.jwk("e")}));
};

TEST_F(JwtTest, BothAlgorithmsGiveTheSubject) {
  EXPECT_EQ(*verify_jwt(rsa_.token(claims()), *keys_, rules(), kTime), "alice");
  EXPECT_EQ(*verify_jwt(ec_.token(claims(), "e"), *keys_, rules(), kTime), "alice");
}

TEST_F(JwtTest, TimesHaveAMinuteOfLeeway) {
  struct Case {
    const char* more;
    bool good;
  };
  for (const Case& c : {Case{R"("exp":1779999941)", true},
                        {R"("exp":1779999940)", false},
                        {R"("exp":1780000001.5)", true},
                        {R"("exp":"soon")", false},
                        {R"("iat":1)", false},
                        {R"("exp":1780000300,"nbf":1780000060)", true},
                        {R"("exp":1780000300,"nbf":1780000061)", false}}) {
    EXPECT_EQ(verify_jwt(rsa_.token(claims(c.more)), *keys_, rules(), kTime).ok(), c.good) << c.more;
  }
}

TEST_F(JwtTest, OtherAlgorithmsAreRefused) {
  const std::string body = base64url(claims());
  EXPECT_THAT(refusal(base64url(R"({"alg":"none"})") + "." + body + "."),
              HasSubstr("neither RS256 nor ES256"));
  EXPECT_THAT(refusal(rsa_.token(claims(), "k", "HS256")), HasSubstr("neither RS256 nor ES256"));
  EXPECT_THAT(refusal(rsa_.token(claims(), "k", "RS512")), HasSubstr("neither RS256 nor ES256"));
  // A key counts for its own algorithm only.
  EXPECT_THAT(refusal(rsa_.token(claims(), "e")), HasSubstr("signature"));
  EXPECT_THAT(refusal(rsa_.token(claims(), "k", "ES256")), HasSubstr("signature"));
}

TEST_F(JwtTest, WhatWasChangedOrSignedByAnotherIsRefused) {
  const std::string good = rsa_.token(claims());
  const std::size_t dot = good.find('.');
  const std::string forged =
      good.substr(0, dot) + "." + base64url(claims(R"("exp":9999999999)")) + good.substr(good.rfind('.'));
  EXPECT_THAT(refusal(forged), HasSubstr("signature"));
  EXPECT_THAT(refusal(Signer(true).token(claims())), HasSubstr("signature"));
  EXPECT_THAT(refusal(good.substr(0, good.rfind('.') + 1)), HasSubstr("signature"));
  EXPECT_THAT(refusal(rsa_.token(R"({"iss":"https://evil","aud":"waybill","sub":"a","exp":1780000300})")),
              HasSubstr("issuer"));
  EXPECT_THAT(refusal(rsa_.token(R"({"iss":"https://id.example.com","aud":"x","sub":"a","exp":1780000300})")),
              HasSubstr("audience"));
  EXPECT_THAT(refusal(rsa_.token(R"({"iss":"https://id.example.com","aud":"waybill","exp":1780000300})")),
              HasSubstr("sub"));
  EXPECT_THAT(refusal(rsa_.token(
                  R"({"iss":"https://id.example.com","aud":"waybill","sub":"a\nb","exp":1780000300})")),
              HasSubstr("sub"));
}

TEST_F(JwtTest, WhatIsNoTokenIsRefused) {
  for (const char* text : {"", "a", "a.b", "a.b.c", "a.b.c.d", "....", "=.=.=", "e30.e30.e30"}) refusal(text);
  refusal(std::string(20000, 'a'));
  EXPECT_EQ(error_word(verify_jwt(rsa_.token(claims(), "new"), *keys_, rules(), kTime).status()),
            "unknown_key");
}

TEST(JwtKeys, WeakKeysAndOtherKindsAreLeftOut) {
  const Signer weak(true, 1024);
  const auto keys =
      JwtKeys::parse(document({weak.jwk("weak"), R"({"kty":"oct","k":"AAAA","kid":"h"})", R"({"kty":"RSA"})",
                               R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})", "5"}));
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ((*keys)->size(), 0U);
  for (const char* text : {"", "[]", "{}", R"({"keys":{}})"}) EXPECT_FALSE(JwtKeys::parse(text).ok()) << text;
}

TEST(Base64Url, IsStrict) {
  EXPECT_EQ(*base64url_decoded("_-8"), "\xff\xef");
  EXPECT_EQ(*base64url_decoded(""), "");
  for (const char* text : {"A", "AB==", "A+/=", "A B", "AB\n"}) {
    EXPECT_FALSE(base64url_decoded(text).ok()) << text;
  }
  EXPECT_FALSE(base64url_decoded("AB").ok());  // its last bits are not zero
  EXPECT_EQ(*base64url_decoded("AA"), std::string(1, '\0'));
}

// The provider, behind the pool.
class TokenVerifierTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> verify(const std::string& token) { return io_.run(verifier_.verify(token)); }

  Signer old_{false};
  Signer new_{false};
  std::string served_ = document({old_.jwk("old")});
  bool away_ = false;
  std::atomic<int> fetches_ = 0;
  testing::TestIo io_;
  testing::FakeClock clock_{io_.context(), kTime};
  Pool pool_{1};
  Log log_{LogLevel::kError};
  TokenVerifier verifier_{io_.executor(),
                          pool_,
                          clock_,
                          log_,
                          {rules(), ""},
                          [this](const std::string& url) -> absl::StatusOr<std::string> {
                            ++fetches_;
                            if (away_) return unavailable("away");
                            if (url == "https://id.example.com/.well-known/openid-configuration") {
                              return std::string(R"({"jwks_uri":"https://id.example.com/keys"})");
                            }
                            EXPECT_EQ(url, "https://id.example.com/keys");
                            return served_;
                          }};
};

TEST_F(TokenVerifierTest, KeysAreFetchedOnceAndKept) {
  EXPECT_EQ(*verify(old_.token(claims(), "old")), "alice");
  EXPECT_EQ(*verify(old_.token(claims(), "old")), "alice");
  EXPECT_EQ(fetches_, 2);  // the configuration and the keys
}

TEST_F(TokenVerifierTest, AnUnknownKeyIsFetchedButNotAtWill) {
  ASSERT_TRUE(verify(old_.token(claims(), "old")).ok());
  served_ = document({old_.jwk("old"), new_.jwk("new")});
  EXPECT_FALSE(verify(new_.token(claims(), "new")).ok());  // asked a moment ago
  EXPECT_EQ(fetches_, 2);
  clock_.advance(absl::Seconds(11));
  EXPECT_EQ(*verify(new_.token(claims(), "new")), "alice");
  EXPECT_EQ(fetches_, 4);
}

TEST_F(TokenVerifierTest, OldKeysServeWhileTheProviderIsAway) {
  away_ = true;
  EXPECT_EQ(verify(old_.token(claims(), "old")).status().code(), absl::StatusCode::kUnavailable);
  away_ = false;
  clock_.advance(absl::Seconds(11));
  const std::string token = old_.token(claims(R"("exp":1790000000)"), "old");
  ASSERT_TRUE(verify(token).ok());
  away_ = true;
  clock_.advance(absl::Minutes(11));
  EXPECT_EQ(*verify(token), "alice");
  EXPECT_EQ(fetches_, 4);  // twice in vain
}

}  // namespace
}  // namespace waybill::rest
