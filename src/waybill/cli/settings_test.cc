#include "waybill/cli/settings.h"

#include <gtest/gtest.h>

#include "tests/support/cli_run.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

using testing::CliRun;

// `open` prints the link without asking the server, so it shows which URL counts.
std::string link_of(CliRun& cli, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"open", "7"});
  EXPECT_EQ(cli.run(std::move(more)), kOk) << cli.err;
  return cli.out;
}

constexpr char kProfiles[] =
    "profile = \"prod\"\n"
    "[profiles.prod]\nurl = \"https://prod.example.com\"\n"
    "[profiles.test]\nurl = \"https://test.example.com/base/\"\nuser = \"tester\"\n";

TEST(SettingsTest, FlagBeforeEnvironmentBeforeProfileBeforeDefault) {
  CliRun cli;
  EXPECT_EQ(link_of(cli), "http://127.0.0.1:9090/ui/jobs/7\n");
  cli.write_file("waybill/config.toml", kProfiles);
  EXPECT_EQ(link_of(cli), "https://prod.example.com/ui/jobs/7\n");
  EXPECT_EQ(link_of(cli, {"--profile", "test"}), "https://test.example.com/base/ui/jobs/7\n");
  cli.variables["WAYBILL_PROFILE"] = "test";
  EXPECT_EQ(link_of(cli), "https://test.example.com/base/ui/jobs/7\n");
  EXPECT_EQ(link_of(cli, {"--profile", "prod"}), "https://prod.example.com/ui/jobs/7\n");
  cli.variables["WAYBILL_URL"] = "http://env.example.com:1/api/v1/";
  EXPECT_EQ(link_of(cli), "http://env.example.com:1/ui/jobs/7\n");
  EXPECT_EQ(link_of(cli, {"--url", "http://flag.example.com"}), "http://flag.example.com/ui/jobs/7\n");
}

TEST(SettingsTest, AnEmptyVariableIsNone) {
  CliRun cli;
  cli.variables["WAYBILL_URL"] = "";
  EXPECT_EQ(link_of(cli), "http://127.0.0.1:9090/ui/jobs/7\n");
}

TEST(SettingsTest, WithoutXdgTheProfilesAreInTheHome) {
  CliRun cli;
  cli.variables = {{"HOME", cli.folder().string()}};
  cli.write_file(".config/waybill/config.toml", kProfiles);
  EXPECT_EQ(link_of(cli), "https://prod.example.com/ui/jobs/7\n");
}

TEST(SettingsTest, WrongSettingsSayWhatAndWhere) {
  struct Case {
    std::string toml;
    std::vector<std::string> args;
    int code;
    std::string said;
  };
  const std::vector<Case> cases = {
      {"", {"--url", "ftp://x"}, kUsage, "the URL from --url (\"ftp://x\") is neither http nor https"},
      {"", {"--url", "unix:"}, kUsage, "the URL from --url (\"unix:\") has no path of a unix socket"},
      {"", {"--url", "unix:/run/w.sock"}, kUsage, "a browser can't open unix:/run/w.sock"},
      {"", {"--url", "http://u:secret-word@x"}, kUsage, "holds a user or password"},
      {"", {"--url", "http://x?y=1"}, kUsage, "has a query"},
      {"", {"--url", "::"}, kUsage, "is not a URL"},
      {"", {"--profile", "none"}, kUsage, "there is no profile \"none\""},
      {"profile = \"none\"\n", {}, kUsage, "there is no profile \"none\""},
      {"[profiles.a]\ncolour = \"x\"\n", {}, kError, "config.toml:2:1: \"colour\" is no key of a profile"},
      {"[profiles.a]\nurl = 3\n", {}, kError, "config.toml:2:1: url must be a string"},
      {"[profiles.a\n", {}, kError, "config.toml: 1:12: expected ]"},
      {"[other]\n", {}, kError, "[other] is not known here"},
      {"url = \"x\"\n", {}, kError, "config.toml:1:1: only profile"},
      {"", {"--user", "a\r\nX-Evil: 1"}, kUsage, "the user from --user has a line break"},
      {"", {"--token", "a\nb"}, kUsage, "the token from --token has a line break"},
      {"", {"--url", "http://far.example.com", "--token", "t0ken"}, kError, "is not sent over plain http"},
  };
  for (const Case& wrong : cases) {
    CliRun cli;
    if (!wrong.toml.empty()) cli.write_file("waybill/config.toml", wrong.toml);
    std::vector<std::string> args = {"open", "7"};
    args.insert(args.end(), wrong.args.begin(), wrong.args.end());
    EXPECT_EQ(cli.run(args), wrong.code) << wrong.said;
    EXPECT_NE(cli.err.find(wrong.said), std::string::npos) << cli.err;
    EXPECT_TRUE(cli.err.starts_with("error: ")) << cli.err;
    EXPECT_EQ(cli.err.find("secret-word"), std::string::npos);
    EXPECT_EQ(cli.err.find("t0ken"), std::string::npos);
    EXPECT_EQ(cli.out, "");
  }
}

TEST(SettingsTest, ATokenMayGoToThisMachineAndOverHttps) {
  CliRun cli;
  cli.variables["WAYBILL_TOKEN"] = "t";
  for (const char* url :
       {"http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://far.example.com"}) {
    EXPECT_EQ(cli.run({"open", "7", "--url", url}), kOk) << url << cli.err;
  }
  for (const char* url :
       {"http://127.evil.example.com", "http://localhost.evil.example.com", "http://10.0.0.1"}) {
    EXPECT_EQ(cli.run({"open", "7", "--url", url}), kError) << url;
  }
}

TEST(SettingsTest, AProfileWithATokenThatOthersMayReadIsWarnedOf) {
  CliRun cli;
  const std::string text = "[profiles.a]\ntoken = \"t\"\n";
  cli.write_file("waybill/config.toml", text, 0644);
  EXPECT_EQ(cli.run({"open", "7"}), kOk);
  EXPECT_NE(cli.err.find("warning: "), std::string::npos);
  EXPECT_NE(cli.err.find("chmod 600"), std::string::npos);
  cli.write_file("waybill/config.toml", text, 0600);
  EXPECT_EQ(cli.run({"open", "7"}), kOk);
  EXPECT_EQ(cli.err, "");
}

}  // namespace
}  // namespace waybill::cli
