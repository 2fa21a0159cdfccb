#include "waybill/api/rest/oidc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_server.h"
#include "tests/support/test_io.h"
#include "waybill/api/rest/jwt_signer_test.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

using ::testing::HasSubstr;

constexpr char kAnHour[] = R"("exp":1780003600)";

// The provider, behind the pool.
class TokenVerifierTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> verify(const std::string& token) { return io_.run(verifier_.verify(token)); }
  void wait_for_fetches(int count) {
    io_.wait_until([&] { return fetches_ == count; });
  }

  Signer old_{false};
  Signer new_{false};
  std::string served_ = document({old_.jwk("old")});
  std::atomic<bool> away_ = false;
  std::promise<void> open_;  // fulfilled: a provider that hangs answers
  std::shared_future<void> hangs_;
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
                            if (hangs_.valid()) hangs_.wait();
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
  const std::string token = old_.token(claims(kAnHour), "old");
  ASSERT_TRUE(verify(token).ok());
  away_ = true;
  clock_.advance(absl::Minutes(11));
  EXPECT_EQ(*verify(token), "alice");
  wait_for_fetches(4);  // twice in vain
  EXPECT_EQ(*verify(token), "alice");
}

TEST_F(TokenVerifierTest, NobodyWaitsForAProviderThatHangsWhileOldKeysServe) {
  const std::string token = old_.token(claims(kAnHour), "old");
  ASSERT_TRUE(verify(token).ok());
  hangs_ = open_.get_future().share();
  clock_.advance(absl::Minutes(11));
  EXPECT_EQ(*verify(token), "alice");
  EXPECT_EQ(*verify(token), "alice");
  wait_for_fetches(3);
  clock_.advance(absl::Seconds(11));
  EXPECT_EQ(*verify(token), "alice");
  EXPECT_EQ(fetches_, 3) << "one question at a time";
  open_.set_value();
}

TEST_F(TokenVerifierTest, AKeyThatTheProviderTookBackCountsNoMoreOnceItsKeysAreFetchedAnew) {
  const std::string token = old_.token(claims(kAnHour), "old");
  ASSERT_TRUE(verify(token).ok());
  served_ = document({new_.jwk("new")});
  clock_.advance(absl::Minutes(11));
  EXPECT_EQ(*verify(new_.token(claims(kAnHour), "new")), "alice");
  EXPECT_EQ(verify(token).status().code(), absl::StatusCode::kUnauthenticated);
}

// A provider on a real socket; `how_` answers who asks for its keys.
class ProviderTest : public ::testing::Test {
 protected:
  using Answer = std::function<void(const testing::FakeConnection&)>;

  void answer(Answer how) {
    const std::scoped_lock lock(mutex_);
    how_ = std::move(how);
  }
  void serve(std::string keys) {
    answer([keys = std::move(keys)](const testing::FakeConnection& connection) {
      connection.answer(200, keys);
    });
  }
  absl::StatusOr<std::string> verify(const std::string& token) { return io_.run(verifier_->verify(token)); }
  void verify_at(const std::string& keys_url, absl::Duration timeout = absl::Seconds(10)) {
    verifier_ = std::make_unique<TokenVerifier>(
        io_.executor(), pool_, clock_, log_, TokenOptions{issued_here(), keys_url}, fetch_by_curl(timeout));
  }
  // A token of this provider.
  [[nodiscard]] std::string token(const Signer& signer, const std::string& kid) const {
    return signer.token(
        R"({"iss":")" + provider_.url() + R"(","aud":"waybill","sub":"alice",)" + kAnHour + "}", kid);
  }
  [[nodiscard]] JwtRules issued_here() const { return {provider_.url(), "waybill", absl::Seconds(60)}; }

  Signer ec_{false};
  Signer rsa_{true};
  std::mutex mutex_;
  Answer how_;
  testing::FakeServer provider_{
      [this](const testing::FakeRequest& request, const testing::FakeConnection& connection) {
        if (request.target == "/.well-known/openid-configuration") {
          return connection.answer(200, R"({"jwks_uri":")" + provider_.url() + R"(/keys"})");
        }
        Answer how;
        {
          const std::scoped_lock lock(mutex_);
          how = how_;
        }
        how(connection);
      }};
  testing::TestIo io_;
  testing::FakeClock clock_{io_.context(), kTime};
  Pool pool_{1};
  Log log_{LogLevel::kError};
  std::unique_ptr<TokenVerifier> verifier_;
};

TEST_F(ProviderTest, ItsKeysAreFoundByItsConfigurationAndChangeWithIt) {
  serve(document({ec_.jwk("e")}));
  verify_at("");
  EXPECT_EQ(*verify(token(ec_, "e")), "alice");
  serve(document({rsa_.jwk("r")}));
  clock_.advance(absl::Seconds(11));
  EXPECT_EQ(*verify(token(rsa_, "r")), "alice");
  EXPECT_EQ(verify(token(ec_, "e")).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(provider_.count("GET", "/.well-known/"), 2U);
}

TEST_F(ProviderTest, WhateverItAnswersInsteadOfKeysIsUnavailableUntilItAnswersThem) {
  const std::vector<std::pair<std::string, Answer>> answers = {
      {"an error", [](const auto& connection) { connection.answer(500, "oh"); }},
      {"a page",
       [](const auto& connection) { connection.answer(200, "<html>sign in</html>", "", "text/html"); }},
      {"other JSON", [](const auto& connection) { connection.answer(200, R"({"keys":7})"); }},
      {"nothing", [](const auto&) {}},
      {"a reset", [](const auto& connection) { connection.reset(); }},
      {"no HTTP", [](const auto& connection) { connection.write("\x16\x03\x01 what?"); }},
      {"another place",
       [](const auto& connection) { connection.answer(302, "", "Location: file:///etc/passwd\r\n"); }},
      {"half of it",
       [](const auto& connection) { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"); }},
      {"no end", [](const auto& connection) { connection.answer(200, std::string((1U << 20U) + 1, ' ')); }}};
  verify_at(provider_.url() + "/keys");
  for (const auto& [what, how] : answers) {
    answer(how);
    EXPECT_EQ(verify(token(ec_, "e")).status().code(), absl::StatusCode::kUnavailable) << what;
    clock_.advance(absl::Seconds(11));
  }
  serve(document({ec_.jwk("e")}));
  EXPECT_EQ(*verify(token(ec_, "e")), "alice");
}

TEST_F(ProviderTest, OneThatDoesNotAnswerIsGivenUp) {
  answer([](const testing::FakeConnection& connection) { connection.hold(); });
  verify_at(provider_.url() + "/keys", absl::Milliseconds(50));
  const absl::Status unanswered = verify(token(ec_, "e")).status();
  EXPECT_EQ(unanswered.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(message(unanswered), HasSubstr("try again later"));
}

TEST_F(ProviderTest, OneWhereNobodyListensIsUnavailable) {
  verify_at("http://127.0.0.1:1/keys");
  EXPECT_EQ(verify(token(ec_, "e")).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace waybill::rest
