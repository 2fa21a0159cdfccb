#include "waybill/base/redact.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace waybill {
namespace {

TEST(Redactor, MasksMembersThatLookLikeSecretsAtAnyDepth) {
  const Redactor redactor;
  const auto value = boost::json::parse(
      R"({"api_token":"t","DB-Password":{"a":1},"list":[{"Private-Key":"k","user":"ann"}],"tokens_per_page":5,"plain":"x"})");
  EXPECT_EQ(
      redactor.masked(value),
      boost::json::parse(
          R"({"api_token":"***","DB-Password":"***","list":[{"Private-Key":"***","user":"ann"}],"tokens_per_page":"***","plain":"x"})"));
}

TEST(Redactor, TakesTheWordsOfTheConfigInstead) {
  const Redactor redactor({"pin"});
  EXPECT_TRUE(redactor.is_secret_key("PIN_code"));
  EXPECT_FALSE(redactor.is_secret_key("password"));
}

TEST(MaskedConnection, HidesThePasswordInUrlsAndWords) {
  EXPECT_EQ(masked_connection("postgres://ann:pw%40x@db:5432/w?sslmode=disable"),
            "postgres://ann:***@db:5432/w?sslmode=disable");
  EXPECT_EQ(masked_connection("host=db user=ann password='a b' dbname=w"),
            "host=db user=ann password=*** dbname=w");
  EXPECT_EQ(masked_connection("postgres://db/w?user=ann&password=pw&sslmode=disable"),
            "postgres://db/w?user=ann&password=***&sslmode=disable");
  EXPECT_EQ(masked_connection("sqlite:./waybill.db"), "sqlite:./waybill.db");
}

}  // namespace
}  // namespace waybill
