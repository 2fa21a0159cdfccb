#include "waybill/plugins/shell/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::map<std::string, std::string>;

TEST(OutputFile, ReadsLinesAndBlocks) {
  const std::vector<std::pair<std::string, Values>> wanted = {
      {"", {}},
      {"a=1\n", {{"a", "1"}}},
      {"a=1\nb=2\na=3\n", {{"a", "3"}, {"b", "2"}}},
      {"a=\n", {{"a", ""}}},
      {"a=b=c\n", {{"a", "b=c"}}},
      {"a= b \n", {{"a", " b "}}},
      {"a=1\r\n\r\n  \nb=2\n", {{"a", "1"}, {"b", "2"}}},
      {"_A.b-c9=x\n", {{"_A.b-c9", "x"}}},
      {"t<<EOF\none\ntwo\nEOF\nb=2\n", {{"t", "one\ntwo"}, {"b", "2"}}},
      {"t<<EOF\nEOF\n", {{"t", ""}}},
      {"t<<EOF\n\nEOF\n", {{"t", ""}}},
      {"t<<EOF\na=1\nu<<EOF\nEOF\n", {{"t", "a=1\nu<<EOF"}}},
      {"t<<\nx\n\n", {{"t", "x"}}},
      {"a=x<<y\n", {{"a", "x<<y"}}},
      {"u=ü☃\n", {{"u", "ü☃"}}},
  };
  for (const auto& [text, values] : wanted) {
    const ParsedOutputs parsed = parse_outputs(text, true);
    EXPECT_EQ(parsed.values, values) << text;
    EXPECT_TRUE(parsed.notes.empty()) << text;
  }
}

TEST(OutputFile, SaysWhatItLeftOutAndGoesOn) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"text\n", "line 1: \"text\" is neither key=value nor key<<MARK"},
      {"ok=1\n=x\n", "line 2: \"\" is not a key: use letters"},
      {"9a=x\n", "line 1: \"9a\" is not a key"},
      {"a b=x\n", "line 1: \"a b\" is not a key"},
      {"\x1b[31m=x\n", "line 1: \"?[31m\" is not a key"},
      {std::string("a=\0\n", 4), "line 1: the value of \"a\" is not UTF-8 text"},
      {"a=\xff\n", "line 1: the value of \"a\" is not UTF-8 text"},
      {"a=" + std::string(65537, 'x') + "\n", "line 1: the value of \"a\" is longer than 65536 bytes"},
      {"a<<E\n" + std::string(65537, 'x') + "\nE\n", "line 1: the value of \"a\" is longer than 65536 bytes"},
      {"a<<E\nx\n", "line 1: \"a<<E\" has no line \"E\" after it"},
      {"a b<<E\nx\nE\n", "line 1: \"a b\" is not a key"},
  };
  for (const auto& [text, note] : wanted) {
    EXPECT_THAT(parse_outputs(text, true).notes, ElementsAre(HasSubstr(note)));
    EXPECT_EQ(parse_outputs(text, true).values.count("a"), 0U) << note;
    EXPECT_EQ(parse_outputs(text, true).values.size(), text.starts_with("ok") ? 1U : 0U);
  }
  EXPECT_EQ(parse_outputs("a=" + std::string(65536, 'x') + "\n", true).values.at("a").size(), 65536U);
}

TEST(OutputFile, WhatIsBeingWrittenWaitsForItsEnd) {
  EXPECT_TRUE(parse_outputs("a=12", false).values.empty());
  EXPECT_EQ(parse_outputs("a=12", true).values.at("a"), "12");
  EXPECT_TRUE(parse_outputs("a<<E\nx\n", false).values.empty());
  EXPECT_TRUE(parse_outputs("a<<E\nx\n", false).notes.empty());
  EXPECT_TRUE(parse_outputs("a<<E\nx\nE", false).values.empty());
  EXPECT_EQ(parse_outputs("a<<E\nx\nE", true).values.at("a"), "x");
}

TEST(OutputFile, KeysAndNotesAreBounded) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "k" + std::to_string(i) + "=x\n";
  const ParsedOutputs parsed = parse_outputs(text + "k5=again\n", true);
  EXPECT_EQ(parsed.values.size(), 1000U);
  EXPECT_EQ(parsed.values.at("k5"), "again");
  EXPECT_EQ(parsed.notes.size(), 20U);
  EXPECT_THAT(parsed.notes.front(), HasSubstr("line 1001: \"k1000\" is one key too many"));
}

}  // namespace
}  // namespace waybill::plugins
