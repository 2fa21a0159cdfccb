#include "waybill/kube/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/test_io.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/base/unique_fd.h"
#include "waybill/kube/exec_plugin.h"

namespace waybill::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() : clock_(io_.context()) {
    std::string name = "/tmp/waybill-credentials-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~CredentialsTest() override {
    credentials_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  // A plugin: a shell script that counts its runs in the file "runs".
  ExecPlugin plugin(const std::string& script) {
    const std::string path =
        write("plugin", "#!/bin/sh\necho run >> " + (folder_ / "runs").string() + "\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ExecPlugin made;
    made.api_version = "client.authentication.k8s.io/v1";
    made.command = path;
    return made;
  }
  std::size_t runs() const {
    const std::string text = read("runs");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  static std::string credential(const std::string& status) {
    return R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
           status + "}'";
  }
  Credentials& use(Access access) {
    credentials_ =
        std::make_unique<Credentials>(io_.executor(), clock_, std::move(access), Credentials::Options());
    return *credentials_;
  }
  absl::StatusOr<std::shared_ptr<const Proof>> proof() { return io_.run(credentials_->proof()); }
  std::string authorization() {
    const auto found = proof();
    return found.ok() ? (*found)->authorization : message(found.status());
  }
  absl::StatusOr<ExecCredential> run(const ExecPlugin& what, const Access& access = {},
                                     absl::Duration timeout = absl::Minutes(1)) {
    return run_exec_plugin(what, access, timeout, never_.get());
  }

  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_;
  std::filesystem::path folder_;
  std::unique_ptr<Credentials> credentials_;
  UniqueFd never_{::eventfd(0, EFD_CLOEXEC)};
};

TEST_F(CredentialsTest, ReflectorPoint11_FilesAreReadAgainEveryMinute) {
  Access access;
  access.token_file = write("token", "first\n");
  access.ca_file = write("ca", "CA1");
  use(access);
  EXPECT_EQ(authorization(), "Bearer first");
  write("token", "second");
  write("ca", "CA2");
  clock_.advance(absl::Seconds(59));
  EXPECT_EQ(authorization(), "Bearer first");
  clock_.advance(absl::Seconds(1));
  EXPECT_EQ(authorization(), "Bearer second");
  EXPECT_EQ((*proof())->ca, "CA2");
}

TEST_F(CredentialsTest, ReflectorPoint11_AFileThatIsAwayForAMomentLeavesTheOldTokenInUse) {
  Access access;
  access.token_file = write("token", "first");
  use(access);
  EXPECT_EQ(authorization(), "Bearer first");
  std::filesystem::remove(access.token_file);
  clock_.advance(absl::Minutes(2));
  EXPECT_EQ(authorization(), "Bearer first");
  write("token", "third");
  clock_.advance(absl::Seconds(11));
  EXPECT_EQ(authorization(), "Bearer third");
}

TEST_F(CredentialsTest, ReflectorPoint11_AServersRefusalReadsTheFilesAgainAtOnce) {
  Access access;
  access.token_file = write("token", "first");
  use(access);
  const auto before = proof();
  write("token", "second");
  credentials_->refused(*before);
  EXPECT_EQ(authorization(), "Bearer second");
  credentials_->refused(*before);
  EXPECT_EQ(*proof(), *proof()) << "what was refused is not in use any more";
}

TEST_F(CredentialsTest, ReflectorPoint11_APluginIsRunAgainWhenItsCredentialExpiresOrIsRefused) {
  Access access;
  const std::string expires = format_time(clock_.now() + absl::Minutes(10));
  access.exec = plugin(credential(R"({"token":"t-'$(wc -l < )" + (folder_ / "runs").string() +
                                  R"()'","expirationTimestamp":")" + expires + "\"}"));
  use(access);
  EXPECT_THAT(authorization(), HasSubstr("Bearer t-"));
  clock_.advance(absl::Minutes(9));
  const auto first = proof();
  EXPECT_EQ(runs(), 1U);
  credentials_->refused(*first);
  EXPECT_NE((*proof())->authorization, (*first)->authorization);
  EXPECT_EQ(runs(), 2U);
  clock_.advance(absl::Minutes(2));
  EXPECT_TRUE(proof().ok());
  EXPECT_EQ(runs(), 3U);
}

TEST_F(CredentialsTest, OnePluginRunServesAllWhoAskMeanwhile) {
  Access access;
  access.exec = plugin(credential(R"({"token":"t"})"));
  Credentials& credentials = use(access);
  int answered = 0;
  for (int caller = 0; caller < 5; ++caller) {
    boost::asio::co_spawn(io_.context(), credentials.proof(),
                          [&](std::exception_ptr, const absl::StatusOr<std::shared_ptr<const Proof>>& found) {
                            answered += found.ok() ? 1 : 0;
                          });
  }
  io_.wait_until([&] { return answered == 5; });
  EXPECT_EQ(runs(), 1U);
}

TEST_F(CredentialsTest, ATokenThatWouldBreakTheHeaderIsRefusedAndNotShown) {
  Access access;
  access.token_file = write("token", "secret-a\r\nX-Other: b");
  access.source = "context \"x\"";
  use(access);
  EXPECT_THAT(authorization(), HasSubstr("context \"x\": the token"));
  EXPECT_THAT(authorization(), Not(HasSubstr("secret-a")));
}

TEST_F(CredentialsTest, NameAndPasswordAreSentAsBasic) {
  Access access;
  access.username = "me";
  access.password = "pw";
  use(access);
  EXPECT_EQ(authorization(), "Basic bWU6cHc=");
}

TEST_F(CredentialsTest, APluginGetsItsArgumentsItsVariablesAndTheClusterWithoutAShell) {
  ExecPlugin what = plugin(R"(printf '%s|%s' "$1" "$KUBERNETES_EXEC_INFO" > )" + (folder_ / "seen").string() +
                           "\n" + R"([ "$WORD" = "a b" ] && )" + credential(R"({"token":"t"})"));
  what.args = {"$(id);*"};
  what.env = {{"WORD", "a b"}};
  what.provide_cluster_info = true;
  Access access;
  access.server = "https://k8s";
  access.ca_data = "CA";
  const auto got = run(what, access);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->token, "t");
  EXPECT_EQ(
      read("seen"),
      R"($(id);*|{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":)"
      R"(false,"cluster":{"server":"https://k8s","certificate-authority-data":"Q0E="}}})");
}

TEST_F(CredentialsTest, APluginThatFailsIsQuotedWithoutItsSecrets) {
  ExecPlugin what = plugin("echo \"no login for $KEY\" >&2; exit 3");
  what.env = {{"KEY", "top-secret"}};
  EXPECT_THAT(message(run(what).status()), HasSubstr("failed: exit status 3: no login for ***"));
  what = plugin("echo 'top-secret is no JSON'");
  EXPECT_THAT(message(run(what).status()), HasSubstr("its output is no JSON object"));
  EXPECT_THAT(message(run(what).status()), Not(HasSubstr("top-secret")));
  what.command = "/nowhere/plugin";
  what.install_hint = "install it with x";
  EXPECT_THAT(message(run(what).status()), HasSubstr("cannot run the credential plugin /nowhere/plugin"));
  EXPECT_THAT(message(run(what).status()), HasSubstr("install it with x"));
}

TEST_F(CredentialsTest, APluginThatHangsFloodsOrIsStoppedIsKilledWithItsChildren) {
  EXPECT_THAT(message(run(plugin("sleep 600"), {}, absl::Milliseconds(200)).status()),
              HasSubstr("gave no answer"));
  EXPECT_THAT(message(run(plugin("yes")).status()), HasSubstr("more than 1 MiB"));
  const UniqueFd stopped(::eventfd(1, EFD_CLOEXEC));
  EXPECT_THAT(message(run_exec_plugin(plugin("sleep 600"), {}, absl::Minutes(5), stopped.get()).status()),
              HasSubstr("was stopped"));
}

TEST(ExecCredentialParser, SaysWhatIsMissing) {
  const auto problem = [](const std::string& status, const std::string& kind = "ExecCredential",
                          const std::string& version = "client.authentication.k8s.io/v1") {
    const auto got = parse_exec_credential(
        R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","status":)" + status + "}",
        "client.authentication.k8s.io/v1");
    return got.ok() ? std::string("fine") : message(got.status());
  };
  EXPECT_EQ(problem(R"({"token":"t"})"), "fine");
  EXPECT_EQ(problem(R"({"clientCertificateData":"c","clientKeyData":"k"})"), "fine");
  EXPECT_THAT(problem(R"({"token":"t"})", "Other"), HasSubstr("no ExecCredential"));
  EXPECT_THAT(problem(R"({"token":"t"})", "ExecCredential", "client.authentication.k8s.io/v1beta1"),
              HasSubstr("no ExecCredential"));
  EXPECT_THAT(problem("{}"), HasSubstr("neither a token nor a certificate"));
  EXPECT_THAT(problem(R"({"clientKeyData":"k"})"), HasSubstr("only one of"));
  EXPECT_THAT(problem(R"({"token":"t","expirationTimestamp":"soon"})"), HasSubstr("no RFC 3339 time"));
  EXPECT_THAT(problem("7"), HasSubstr("no status"));
}

}  // namespace
}  // namespace waybill::kube
