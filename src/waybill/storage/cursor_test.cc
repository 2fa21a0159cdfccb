#include "waybill/storage/cursor.h"

#include <gtest/gtest.h>

#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

using ports::JobOrder;

TEST(CursorTest, ComesBackAsItWas) {
  const Position number{std::int64_t{-1}, "id\"\\"};
  const auto back = parse_cursor(to_cursor(number, JobOrder::kDuration, true), JobOrder::kDuration, true);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(as_int(back->key), -1);
  EXPECT_EQ(back->id, "id\"\\");
  const Position text{std::string("näme"), "x"};
  EXPECT_EQ(as_text(parse_cursor(to_cursor(text, JobOrder::kName, false), JobOrder::kName, false)->key),
            "näme");
}

TEST(CursorTest, IsForItsOrderAndDirectionOnly) {
  const std::string cursor = to_cursor({std::int64_t{5}, "x"}, JobOrder::kCreatedAt, true);
  EXPECT_FALSE(parse_cursor(cursor, JobOrder::kUpdatedAt, true).ok());
  EXPECT_FALSE(parse_cursor(cursor, JobOrder::kCreatedAt, false).ok());
  EXPECT_FALSE(parse_cursor(cursor, JobOrder::kName, true).ok());
}

TEST(CursorTest, EveryCutOrChangedCursorIsRefusedOrRead) {
  const std::string cursor = to_cursor({std::int64_t{5}, "x"}, JobOrder::kCreatedAt, true);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    EXPECT_FALSE(parse_cursor(cursor.substr(0, i), JobOrder::kCreatedAt, true).ok()) << i;
  }
  const auto refused = parse_cursor("W10", JobOrder::kCreatedAt, true);  // []
  EXPECT_EQ(message(refused.status()), "invalid pagination cursor");
}

}  // namespace
}  // namespace waybill::storage
