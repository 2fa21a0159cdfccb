#include "waybill/cli/table.h"

#include <gtest/gtest.h>

namespace waybill::cli {
namespace {

const std::vector<TableColumn> kColumns = {{.title = "ID", .shrink = Shrink::kNever},
                                           {.title = "NAME"},
                                           {.title = "STATUS", .shrink = Shrink::kNever, .is_status = true}};

TEST(TableTest, ColumnsAreAlignedByWhatATerminalShows) {
  EXPECT_EQ(table_text(kColumns, {{"1", "日本", "NEW"}, {"22", "abc", "RUNNING"}}, {}),
            "ID  NAME  STATUS\n"
            "1   日本  NEW\n"
            "22  abc   RUNNING\n");
}

TEST(TableTest, HeadersCanBeLeftOut) {
  EXPECT_EQ(table_text(kColumns, {{"1", "a", "NEW"}}, {.headers = false}), "1  a  NEW\n");
}

TEST(TableTest, TheWidestColumnThatMayBeIsCutToTheTerminal) {
  EXPECT_EQ(table_text(kColumns, {{"12345678", "a very long name", "RUNNING"}}, {.columns = 28}),
            "ID        NAME       STATUS\n"
            "12345678  a very l…  RUNNING\n");
}

TEST(TableTest, NoLineIsWiderThanTheTerminal) {
  const std::string text =
      table_text(kColumns, {{"12345678", "a very long name", "RUNNING"}}, {.columns = 20});
  EXPECT_EQ(text, "ID        NAME\n12345678  a very …\n");
}

TEST(TableTest, StatusIsColouredOnlyWhereAsked) {
  EXPECT_EQ(table_text(kColumns, {{"1", "a", "FAILED"}}, {.headers = false, .colour = true}),
            "1  a  \x1b[31mFAILED\x1b[0m\n");
  EXPECT_EQ(table_text(kColumns, {{"1", "FAILED", "unheard of"}}, {.headers = false, .colour = true}),
            "1  FAILED  unheard of\n");
}

TEST(TableTest, ControlsInCellsAreMadeVisible) {
  EXPECT_EQ(table_text(kColumns, {{"1", "a\x1b[2J\nb", "NEW"}}, {.headers = false}),
            "1  a\\x1b[2J\\nb  NEW\n");
}

TEST(TableTest, WidthsOfAnEarlierPartAreKept) {
  EXPECT_EQ(table_text(kColumns, {{"1", "a", "NEW"}}, {.headers = false, .widths = {4, 6, 9}}),
            "1     a       NEW\n");
}

}  // namespace
}  // namespace waybill::cli
