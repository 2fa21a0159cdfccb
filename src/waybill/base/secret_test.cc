#include "waybill/base/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "waybill/base/redact.h"
#include "waybill/base/status.h"

namespace waybill {
namespace {
namespace json = boost::json;

class SecretTest : public testing::Test {
 protected:
  SecretTest() {
    std::string name = "/tmp/waybill_secret_XXXXXX";
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ + "/pw") << "s3cret\n\n";
  }
  ~SecretTest() override {
    unlink((folder_ + "/pw").c_str());
    unlink((folder_ + "/pipe").c_str());
    rmdir(folder_.c_str());
  }

  absl::StatusOr<json::object> resolve(const std::string& text) {
    return resolve_secrets(json::parse(text).as_object(), environment_);
  }

  std::string folder_;
  Environment environment_ = [](const std::string& name) -> std::optional<std::string> {
    if (name == "PW") return "from-env";
    if (name == "EMPTY") return "";
    return std::nullopt;
  };
};

TEST_F(SecretTest, ResolvesFilesVariablesAndTextsAtAnyDepth) {
  const auto got =
      resolve(R"({"a":{"$secret":{"file":")" + folder_ +
              R"(/pw"}},"b":[{"c":{"$secret":{"env":"PW"}}}],"d":{"$secret":{"text":"x${env:PW}y"}},"e":1})");
  ASSERT_TRUE(got.ok()) << message(got.status());
  EXPECT_EQ(json::value(*got),
            json::parse(R"({"a":"s3cret\n","b":[{"c":"from-env"}],"d":"xfrom-envy","e":1})"));
}

TEST_F(SecretTest, AnErrorNamesTheKeyAndTheReference) {
  EXPECT_EQ(message(resolve(R"({"db":{"pw":{"$secret":{"env":"NOPE"}}}})").status()),
            "db.pw: the environment variable NOPE is not set");
  EXPECT_EQ(message(resolve(R"({"l":[{"$secret":{"file":"/nonexistent/pw"}}]})").status()),
            "l[0]: the file /nonexistent/pw can't be read: No such file or directory");
  EXPECT_EQ(message(resolve(R"({"k":{"$secret":{"vault":"x"}}})").status()),
            "k: a secret must be one of file, env and text");
  EXPECT_EQ(message(resolve(R"({"k":{"$secret":7}})").status()),
            "k: a secret must be one of file, env and text");
}

TEST_F(SecretTest, RefusesWhatIsNoRegularFileWithoutWaitingForIt) {
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_secret_file(folder_ + "/pipe").ok());
  EXPECT_FALSE(read_secret_file("/dev/zero").ok());
  EXPECT_FALSE(read_secret_file(folder_).ok());
}

TEST_F(SecretTest, AReferenceIsMaskedWhateverItsKey) {
  const json::object context = json::parse(R"({"dsn":{"$secret":{"file":"/run/pw"}},"n":1})").as_object();
  EXPECT_EQ(json::value(Redactor().masked(context)), json::parse(R"({"dsn":"***","n":1})"));
}

TEST_F(SecretTest, FindsReferencesThatACallerSmugglesIn) {
  EXPECT_TRUE(holds_secret_reference(json::parse(R"({"a":[{"b":{"$secret":{"file":"/etc/shadow"}}}]})")));
  EXPECT_TRUE(holds_secret_reference(json::parse(R"({"$secret":1,"x":2})")));
  EXPECT_FALSE(holds_secret_reference(json::parse(R"({"secret":"$secret"})")));
}

TEST_F(SecretTest, VariablesInTextsHaveDefaultsAndOtherPlaceholdersStay) {
  const auto expand = [&](std::string_view text) {
    const auto got = expand_environment(text, environment_);
    return got.ok() ? *got : "error: " + message(got.status());
  };
  EXPECT_EQ(expand("${env:PW}"), "from-env");
  EXPECT_EQ(expand("a${env:NOPE:-b}c${env:NOPE:-}d"), "abcd");
  EXPECT_EQ(expand("${env:EMPTY:-fallback}|${env:EMPTY}|"), "fallback||");
  EXPECT_EQ(expand("${project} ${HOME} $PW ${ENV:PW}"), "${project} ${HOME} $PW ${ENV:PW}");
  EXPECT_EQ(expand("x ${env:NOPE} y"),
            "error: the environment variable NOPE is not set: set it, or write ${env:NOPE:-default}");
  EXPECT_EQ(expand("${env:1x}"),
            "error: ${env:… is not a reference: it must be ${env:NAME} or ${env:NAME:-default}");
  EXPECT_EQ(expand("${env:PW"), expand("${env:}"));
}

}  // namespace
}  // namespace waybill
