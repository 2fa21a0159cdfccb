#include "waybill/storage/postgres/array_text.h"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

std::string array_of(const std::vector<Value>& values) {
  std::vector<const Value*> pointers;
  for (const Value& value : values) pointers.push_back(&value);
  return to_array_text(pointers);
}

// PostgreSQL's manual, "Array Input and Output Syntax".
TEST(ArrayText, QuotesWhatPostgresqlWouldTakeForItsOwn) {
  EXPECT_EQ(array_of({}), "{}");
  EXPECT_EQ(array_of({std::int64_t{1}, std::int64_t{-2}}), "{1,-2}");
  EXPECT_EQ(array_of({std::string("a"), Value(), std::string("NULL"), std::string()}),
            R"({"a",NULL,"NULL",""})");
  EXPECT_EQ(array_of({std::string(R"(say "\" to {me}, now)")}), R"({"say \"\\\" to {me}, now"})");
}

}  // namespace
}  // namespace waybill::storage
