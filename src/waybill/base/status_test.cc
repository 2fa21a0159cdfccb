#include "waybill/base/status.h"

#include <gtest/gtest.h>

namespace waybill {
namespace {

absl::StatusOr<int> half(int n) {
  if (n % 2 != 0)
    return error(absl::StatusCode::kInvalidArgument, "odd", "an odd number has no half: use an even one");
  return n / 2;
}
absl::StatusOr<int> quarter(int n) {
  WB_ASSIGN(const int once, half(n));
  WB_ASSIGN(const int twice, half(once));
  return twice;
}
absl::Status check(int n) {
  WB_TRY(quarter(n).status());
  return absl::OkStatus();
}

TEST(Status, CarriesItsMachineWordThroughTheMacrosAndAPrefix) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_TRUE(check(12).ok());
  EXPECT_EQ(error_word(quarter(6).status()), "odd");
  const absl::Status status = prefixed(check(5), "n");
  EXPECT_EQ(error_word(status), "odd");
  EXPECT_EQ(message(status), "n: an odd number has no half: use an even one");
}

TEST(Status, HasTheUsualWordWhereNoneWasGiven) {
  EXPECT_EQ(error_word(invalid("x")), "invalid_argument");
  EXPECT_EQ(error_word(not_found("x")), "not_found");
  EXPECT_EQ(error_word(conflict("x")), "conflict");
  EXPECT_EQ(error_word(denied("x")), "permission_denied");
  EXPECT_EQ(error_word(unavailable("x")), "unavailable");
  EXPECT_EQ(error_word(absl::ResourceExhaustedError("x")), "too_many_requests");
}

}  // namespace
}  // namespace waybill
