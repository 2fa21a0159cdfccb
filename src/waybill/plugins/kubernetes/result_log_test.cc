#include "waybill/plugins/kubernetes/result_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"

namespace waybill::plugins {
namespace {

TEST(ResultLines, RowsAreGatheredUpToTheLimits) {
  ports::RunLimits limits;
  limits.result_rows = 2;
  ResultLines lines(limits);
  EXPECT_EQ(lines.result(), nullptr);
  for (const char* line : {"noise", R"(waybill-result: {"columns": [{"name": "a", "type": "int"}]})",
                           "waybill-result: [1]", "", "waybill-result: [2]", "waybill-result: [3]"})
    EXPECT_TRUE(lines.take(line).ok()) << line;
  ASSERT_NE(lines.result(), nullptr);
  EXPECT_EQ(lines.result()->columns.at(0).name, "a");
  EXPECT_EQ(boost::json::serialize(lines.result()->rows), "[[1],[2]]");
  EXPECT_TRUE(lines.result()->truncated);
}

TEST(ResultLines, WhatIsNoResultIsRefused) {
  for (const char* line :
       {"waybill-result: [1]", "waybill-result: {", R"(waybill-result: {"columns": [1]})"}) {
    ResultLines lines((ports::RunLimits()));
    EXPECT_THAT(message(lines.take(line)), ::testing::StartsWith("result line 1: ")) << line;
  }
  ResultLines lines((ports::RunLimits()));
  EXPECT_TRUE(lines.take(R"(waybill-result: {"columns": [{"name": "a"}]})").ok());
  EXPECT_THAT(message(lines.take("waybill-result: [1, 2]")),
              ::testing::HasSubstr("line 2: it is not a list of 1"));
}

}  // namespace
}  // namespace waybill::plugins
