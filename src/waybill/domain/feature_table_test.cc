#include "waybill/domain/feature_table.h"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

// printf 'p:t' | md5sum
TEST(FeatureTableHash, IsTheMd5OfProjectAndTable) {
  EXPECT_EQ(feature_table_hash("p", "t"), "c1bdf79d545b8de549669a034f74cc1b");
  EXPECT_EQ(feature_table_hash("default", "driver_stats"), "2e4fd911b484a6d1a1c88375e84731da");
}

}  // namespace
}  // namespace waybill::domain
