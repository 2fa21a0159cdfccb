#include "waybill/kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "waybill/base/status.h"

namespace waybill::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kWhole[] = R"(apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c1
  cluster:
    server: https://k8s.example.com:6443/
    certificate-authority: certs/ca.crt
    tls-server-name: kubernetes
    proxy-url: socks5://proxy:1080
    something-new: {a: 1}
- name: c2
  cluster: {server: "https://[::1]:6443/k8s/x", insecure-skip-tls-verify: true}
users:
- name: u1
  user:
    client-certificate: /abs/me.crt
    client-key-data: LS0tLS1CRUdJTiBLRVktLS0tLQo=
- name: u2
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/plugin
      args: [get-token, --cluster, x]
      env: [{name: PROFILE, value: p}]
      provideClusterInfo: true
      interactiveMode: IfAvailable
- name: u3
  user: {tokenFile: token, username: me, password: hush-hush}
contexts:
- name: dev
  context: {cluster: c1, user: u1, namespace: spark}
- name: prod
  context: {cluster: c2, user: u2}
- name: third
  context: {cluster: c2, user: u3}
)";

std::string problem_of(const std::string& text, const std::string& context = "") {
  const auto access = parse_kubeconfig(text, "/etc/kube/config", context);
  return access.ok() ? "" : message(access.status());
}

TEST(Kubeconfig, GivesTheCurrentContext) {
  const auto access = parse_kubeconfig(kWhole, "/etc/kube/config", "");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->server, "https://k8s.example.com:6443");
  EXPECT_EQ(access->ca_file, "/etc/kube/certs/ca.crt") << "relative to its file";
  EXPECT_EQ(access->tls_server_name, "kubernetes");
  EXPECT_EQ(access->proxy_url, "socks5://proxy:1080");
  EXPECT_EQ(access->client_certificate_file, "/abs/me.crt");
  EXPECT_EQ(access->client_key_data, "-----BEGIN KEY-----\n");
  EXPECT_EQ(access->name_space, "spark");
  EXPECT_EQ(access->source, "context \"dev\" of /etc/kube/config");
  EXPECT_FALSE(access->insecure_skip_tls_verify);
}

TEST(Kubeconfig, GivesANamedContextWithItsPlugin) {
  const auto access = parse_kubeconfig(kWhole, "/etc/kube/config", "prod");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->server, "https://[::1]:6443/k8s/x");
  EXPECT_TRUE(access->insecure_skip_tls_verify);
  EXPECT_EQ(access->name_space, "default");
  ASSERT_TRUE(access->exec);
  EXPECT_EQ(access->exec->command, "/etc/kube/bin/plugin");
  EXPECT_THAT(access->exec->args, ::testing::ElementsAre("get-token", "--cluster", "x"));
  EXPECT_EQ(access->exec->env.at(0), (std::pair<std::string, std::string>("PROFILE", "p")));
  EXPECT_TRUE(access->exec->provide_cluster_info);
}

struct Wrong {
  const char* from;  // in kWhole
  const char* to;
  const char* says;
};

TEST(Kubeconfig, SaysWhereAMistakeIs) {
  const Wrong wrongs[] = {
      {"https://k8s.example.com:6443/", "ftp://x", "/etc/kube/config:7: server must be https://HOST"},
      {"https://k8s.example.com:6443/", "https://me:hush-hush@x", "/etc/kube/config:7: server must be"},
      {"certs/ca.crt", "[a]", ":8: certificate-authority must be text"},
      {"socks5://proxy:1080", "gopher://x", ":10: proxy-url must be"},
      {"insecure-skip-tls-verify: true", "insecure-skip-tls-verify: perhaps",
       ":13: insecure-skip-tls-verify must be true or false"},
      {"insecure-skip-tls-verify: true", "insecure-skip-tls-verify: true, certificate-authority: x",
       "exclude each other"},
      {"LS0tLS1CRUdJTiBLRVktLS0tLQo=", "'%%%'", ":18: client-key-data is not base64"},
      {"LS0tLS1CRUdJTiBLRVktLS0tLQo=", "aGVsbG8=", ":18: client-key-data is not PEM"},
      {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1alpha1", "v1 or v1beta1"},
      {"command: bin/plugin", "x: y", "exec has no command"},
      {"[get-token, --cluster, x]", "text", "exec.args must be a list"},
      {"{name: PROFILE, value: p}", "{name: 'A=B'}", "without \"=\""},
      {"IfAvailable", "Always", "interactiveMode Always"},
      {"name: c1\n", "title: c1\n", ":5: an entry of clusters has no name"},
      {"cluster: c1", "cluster: c9", "there is no cluster \"c9\"; the clusters are: c1, c2"},
      {"user: u1,", "user: u9,", "there is no user \"u9\"; the users are: u1, u2, u3"},
      {"current-context: dev", "current-context: nope",
       "there is no context \"nope\"; the contexts are: dev, prod, third"},
      {"current-context: dev", "x: y",
       "no current-context is set; name one of the contexts: dev, prod, third"},
      {"users:", "users: 7\nx:", "users must be a list"},
      {"clusters:", "clusters: [", ": not YAML"},
      {"client-certificate: /abs/me.crt", "x: y", "only one of client certificate and key"},
  };
  for (const Wrong& wrong : wrongs) {
    std::string text = kWhole;
    const std::size_t at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos) << wrong.from;
    text.replace(at, std::string(wrong.from).size(), wrong.to);
    EXPECT_THAT(problem_of(text), HasSubstr(wrong.says)) << wrong.to;
    EXPECT_THAT(problem_of(text), Not(HasSubstr("hush-hush")));
  }
}

TEST(Kubeconfig, IsNotEmptyNorAList) {
  EXPECT_THAT(problem_of("- a\n"), HasSubstr("/etc/kube/config:1: a kubeconfig must be a mapping"));
  EXPECT_THAT(problem_of(""), HasSubstr("no current-context"));
}

class KubeconfigFiles : public ::testing::Test {
 protected:
  KubeconfigFiles() {
    std::string name = "/tmp/waybill-kubeconfig-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~KubeconfigFiles() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  absl::StatusOr<Access> find(const AccessChoice& choice) {
    return find_access(choice, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::filesystem::path folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(KubeconfigFiles, AreMergedAndTheFirstToNameSomethingWins) {
  const std::string one = write("one/config", R"(
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
users: [{name: u, user: {tokenFile: tok}}]
)");
  const std::string two = write("two/config", R"(
current-context: y
contexts: [{name: x, context: {cluster: other, user: other}}]
clusters: [{name: c, cluster: {server: "https://two", certificate-authority: ca}}]
users: [{name: u, user: {token: second}}]
)");
  variables_["KUBECONFIG"] = one + ":" + (folder_ / "missing").string() + "::" + two;
  const auto access = find({});
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->server, "https://two");
  EXPECT_EQ(access->token_file, (folder_ / "one/tok").string());
  EXPECT_EQ(access->ca_file, (folder_ / "two/ca").string());
  EXPECT_EQ(access->token, "");
}

TEST_F(KubeconfigFiles, AreFoundInTheHomeDirectory) {
  variables_["HOME"] = folder_.string();
  EXPECT_THAT(message(find({}).status()), HasSubstr(".kube/config: there is no such kubeconfig"));
  write(".kube/config", kWhole);
  EXPECT_TRUE(find({}).ok());
  write("other", kWhole);
  AccessChoice choice;
  choice.kubeconfig = "~/other";
  choice.context = "third";
  const auto access = find(choice);
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->token_file, (folder_ / "token").string());
}

TEST_F(KubeconfigFiles, MustBeRegularAndNotHuge) {
  AccessChoice choice;
  choice.kubeconfig = "/dev/zero";
  EXPECT_THAT(message(find(choice).status()), HasSubstr("regular file"));
  choice.kubeconfig = write("huge", std::string(5 << 20U, ' '));
  EXPECT_THAT(message(find(choice).status()), HasSubstr("4 MiB"));
}

TEST_F(KubeconfigFiles, InClusterTakesTheServiceAccount) {
  AccessChoice choice;
  choice.in_cluster = true;
  choice.service_account = folder_.string();
  EXPECT_THAT(message(find(choice).status()), HasSubstr("KUBERNETES_SERVICE_HOST"));
  variables_ = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_THAT(message(find(choice).status()), HasSubstr("token"));
  write("token", "t\n");
  write("ca.crt", "ca");
  write("namespace", "mine\n");
  const auto access = find(choice);
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->name_space, "mine");
  EXPECT_EQ(access->token, "") << "it is read when it is needed, again and again";
  EXPECT_EQ(access->token_file, (folder_ / "token").string());
}

}  // namespace
}  // namespace waybill::kube
