#include "waybill/base/ids.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace waybill {
namespace {

TEST(IdGenerator, WritesTheTimeAndTheVersionWhereRfc9562PutsThem) {
  IdGenerator ids(1);
  const std::string id = ids.next(absl::FromUnixMillis(0x017F22E279B0));  // the example of RFC 9562, A.6
  EXPECT_EQ(id.substr(0, 13), "017f22e2-79b0");
  EXPECT_EQ(id[14], '7');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
  EXPECT_TRUE(is_uuid(id));
}

TEST(IdGenerator, IdsSortByTheOrderTheyWereMadeInWithinAMillisecondAndWhenTheClockGoesBack) {
  IdGenerator ids(2);
  std::string last;
  std::set<std::string> seen;
  for (int i = 0; i < 20'000; ++i) {
    const std::string id = ids.next(absl::FromUnixMillis(1'000'000 - i / 1'000));
    EXPECT_LT(last, id);
    EXPECT_TRUE(seen.insert(id).second);
    last = id;
  }
}

TEST(IsUuid, TakesTheCanonicalFormAlone) {
  EXPECT_TRUE(is_uuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"));
  for (const char* text : {"", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "017f22e279b07cc398c4dc0c0c07398f",
                           "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f "}) {
    EXPECT_FALSE(is_uuid(text)) << text;
  }
}

}  // namespace
}  // namespace waybill
