#include "waybill/storage/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using ::testing::ElementsAre;

TEST(QueriesTest, NamesBecomePlacesOfTheDialect) {
  const Statement lite = to_statement("select :a, :b_1 where x = :a", Dialect::kSqlite);
  EXPECT_EQ(lite.sql, "select ?1, ?2 where x = ?1");
  EXPECT_THAT(lite.names, ElementsAre("a", "b_1"));
  EXPECT_EQ(to_statement("select :a", Dialect::kPostgres).sql, "select $1");
}

TEST(QueriesTest, CastsAndQuotedTextsHaveNoNames) {
  const Statement statement = to_statement("select x::text, ':no', 'it''s :no' || :yes", Dialect::kPostgres);
  EXPECT_EQ(statement.sql, "select x::text, ':no', 'it''s :no' || $1");
  EXPECT_THAT(statement.names, ElementsAre("yes"));
}

TEST(QueriesTest, BothDialectsHaveTheSameQueriesButForNoticesAndFormsForMany) {
  std::vector<std::string> postgres = Queries(Dialect::kPostgres).names();
  // SQLite has one server, and runs statements one by one.
  std::erase_if(postgres,
                [](const std::string& name) { return name == "notify" || name.ends_with("_many"); });
  EXPECT_EQ(Queries(Dialect::kSqlite).names(), postgres);
}

TEST(QueriesTest, EveryFragmentIsFilled) {
  for (const Dialect dialect : {Dialect::kSqlite, Dialect::kPostgres}) {
    const Queries queries(dialect);
    for (const std::string& name : queries.names()) {
      EXPECT_EQ(queries.find(name)->sql.find("{part_"), std::string::npos) << name;
    }
  }
}

TEST(QueriesTest, AValueStandsInForAFragment) {
  const Queries queries(Dialect::kSqlite);
  EXPECT_EQ(
      queries.fill("a {x} {part_list_equal} {\"json\": 1}", {{"x", "1"}, {"column", "c"}, {"value", "v"}}),
      "a 1 c = :v\n {\"json\": 1}");
}

}  // namespace
}  // namespace waybill::storage
