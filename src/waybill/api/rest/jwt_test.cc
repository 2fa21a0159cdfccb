#include "waybill/api/rest/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>
#include <string>
#include <vector>

#include "waybill/api/rest/jwt_signer_test.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace waybill::rest
