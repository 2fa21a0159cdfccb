#include "waybill/cli/toml.h"

#include <gtest/gtest.h>

#include "waybill/base/status.h"

namespace waybill::cli {
namespace {

TEST(TomlTest, ReadsTablesAndValues) {
  const auto document = parse_toml(
      "# a comment\r\n"
      "profile = \"prod\" # the usual one\n"
      "\n"
      "[profiles.prod]\n"
      "url = 'https://w.example.com/a\\b'\n"
      "  user = \"\\u00fc \\\"q\\\"\\t\"\n"
      "[ profiles . \"two words\" ]\n"
      "verify = true\n"
      "retries = -3");
  ASSERT_TRUE(document.ok()) << message(document.status());
  EXPECT_EQ(std::get<std::string>(document->at("").at("profile").value), "prod");
  const TomlTable& prod = document->at("profiles.prod");
  EXPECT_EQ(std::get<std::string>(prod.at("url").value), "https://w.example.com/a\\b");
  EXPECT_EQ(std::get<std::string>(prod.at("user").value), "ü \"q\"\t");
  EXPECT_EQ(prod.at("user").line, 6);
  EXPECT_EQ(prod.at("user").column, 3);
  const TomlTable& other = document->at("profiles.two words");
  EXPECT_TRUE(std::get<bool>(other.at("verify").value));
  EXPECT_EQ(std::get<std::int64_t>(other.at("retries").value), -3);
}

TEST(TomlTest, SaysWhereItIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"a = 1\na = 2\n", "2:6: the key \"a\" is there twice"},
      {"[a]\n[a]\n", "2:4: the table [a] is there twice"},
      {"a = \"x\n", "1:7: the string is not closed"},
      {"a = yes\n", "1:5: expected a string in quotes, true, false or an integer"},
      {"a = 007\n", "1:5: expected a string"},
      {"a = [1]\n", "1:5: expected a string"},
      {"a = \"x\" y\n", "1:9: expected the end of the line"},
      {"a\n", "1:2: expected = after the key \"a\""},
      {"[a\n", "1:3: expected ]"},
      {"[[a]]\n", "1:2: lists of tables"},
      {"a.b = 1\n", "1:2: keys with dots"},
      {"a = \"\"\"x\"\"\"\n", "1:5: strings of several lines"},
      {"a = \"\\q\"\n", "1:6: the escape is unknown"},
      {"a = \"\\ud800\"\n", "1:6: the escape is no character"},
      {"a = \"\x01\"\n", "1:6: the string has a control character"},
      {"= 1\n", "1:1: expected a key"},
      {"a = \"\xff\"\n", "1:1: the file is not UTF-8"},
  };
  for (const auto& [text, expected] : cases) {
    const auto document = parse_toml(text);
    ASSERT_FALSE(document.ok()) << text;
    EXPECT_TRUE(message(document.status()).starts_with(expected))
        << text << ": " << message(document.status());
  }
}

}  // namespace
}  // namespace waybill::cli
