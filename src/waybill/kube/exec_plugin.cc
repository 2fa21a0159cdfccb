#include "waybill/kube/exec_plugin.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_replace.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <vector>

#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/kube/json_access.h"

extern char** environ;

namespace waybill::kube {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
constexpr std::size_t kMostWords = 300;
constexpr std::size_t kShortestSecret = 6;  // shorter values would mask every other word
constexpr int kFirstOther = 3;

class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  void reset(int number) {
    close();
    number_ = number;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct Pipe {
  File read;
  File write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.reset(ends[0]);
    write.reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
  }
};

struct Actions {
  Actions() { ::posix_spawn_file_actions_init(&value); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&value); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  posix_spawn_file_actions_t value = {};
};

struct Attributes {
  Attributes() { ::posix_spawnattr_init(&value); }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t value = {};
};

std::string execution_info(const ExecPlugin& plugin, const Access& access) {
  json::object spec = {{"interactive", false}};
  if (plugin.provide_cluster_info) {
    json::object cluster = {{"server", access.server}};
    if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
    if (access.insecure_skip_tls_verify) cluster["insecure-skip-tls-verify"] = true;
    if (!access.proxy_url.empty()) cluster["proxy-url"] = access.proxy_url;
    std::string ca = access.ca_data;
    if (ca.empty() && !access.ca_file.empty()) ca = read_secret_file(access.ca_file).value_or("");
    if (!ca.empty())
      cluster["certificate-authority-data"] = absl::Base64Escape(absl::string_view(ca.data(), ca.size()));
    spec["cluster"] = std::move(cluster);
  }
  return json::serialize(json::object{
      {"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}});
}

std::vector<std::string> environment_of(const ExecPlugin& plugin, const Access& access) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(variables, [&](const std::string& variable) { return variable.starts_with(name + "="); });
    variables.push_back(name + "=" + value);
  };
  for (const auto& [name, value] : plugin.env) set(name, value);
  set("KUBERNETES_EXEC_INFO", execution_info(plugin, access));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

absl::StatusOr<pid_t> spawn(const ExecPlugin& plugin, const Access& access, const Pipe& out,
                            const Pipe& err) {
  Actions actions;
  ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, out.write.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions.value, err.write.number(), STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions.value, kFirstOther);
  Attributes attributes;
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes.value, &none);
  ::posix_spawnattr_setsigdefault(&attributes.value, &all);
  ::posix_spawnattr_setpgroup(&attributes.value, 0);
  ::posix_spawnattr_setflags(&attributes.value,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = {plugin.command};
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> variables = environment_of(plugin, access);
  pid_t pid = 0;
  const int problem = ::posix_spawnp(&pid, words[0].c_str(), &actions.value, &attributes.value,
                                     pointers(words).data(), pointers(variables).data());
  if (problem == 0) return pid;
  const std::string hint =
      plugin.install_hint.empty() ? "" : "; " + plugin.install_hint.substr(0, kMostWords);
  return conflict(fmt::format("cannot run the credential plugin {}: {}{}", plugin.command,
                              std::generic_category().message(problem), hint));
}

// Takes what is there; false once there will be nothing more.
bool drain(const File& file, std::string& text, std::size_t most) {
  char block[16384];
  while (text.size() <= most) {
    const ssize_t got = ::read(file.number(), block, sizeof block);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    text.append(block, static_cast<std::size_t>(got));
  }
  return true;
}

// One bounded line without the values that the kubeconfig gave the plugin.
std::string shown(std::string text, const ExecPlugin& plugin) {
  for (const auto& [name, value] : plugin.env) {
    if (value.size() >= kShortestSecret)
      absl::StrReplaceAll({{absl::string_view(value.data(), value.size()), "***"}}, &text);
  }
  if (text.size() > kMostWords) text.erase(0, text.size() - kMostWords);
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

struct Outcome {
  std::string out;
  std::string err;
  std::string trouble;  // why it was killed
  int status = 0;
};

Outcome follow(pid_t pid, const Pipe& out, const Pipe& err, absl::Duration timeout, int stopped) {
  using Steady = std::chrono::steady_clock;
  const auto deadline = Steady::now() + absl::ToChronoMilliseconds(timeout);
  const File ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Outcome outcome;
  pollfd watched[] = {{ended.number(), POLLIN, 0},
                      {stopped, POLLIN, 0},
                      {out.read.number(), POLLIN, 0},
                      {err.read.number(), POLLIN, 0}};
  while (outcome.trouble.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now()).count();
    if (left <= 0) outcome.trouble = fmt::format("gave no answer within {} s", absl::ToInt64Seconds(timeout));
    if (left > 0 && ::poll(watched, 4, static_cast<int>(left) + 1) < 0 && errno != EINTR) break;
    if (!drain(out.read, outcome.out, kMostOutput)) watched[2].fd = -1;
    if (!drain(err.read, outcome.err, kMostOutput)) watched[3].fd = -1;
    if (outcome.out.size() > kMostOutput || outcome.err.size() > kMostOutput)
      outcome.trouble = "wrote more than 1 MiB";
    if (watched[1].revents != 0) outcome.trouble = "was stopped with the server";
    if (watched[0].revents != 0) break;
  }
  if (!outcome.trouble.empty()) ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &outcome.status, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

}  // namespace

absl::StatusOr<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, const Access& access,
                                               absl::Duration timeout, int stopped) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return unavailable("no pipe is left for a credential plugin");
  const absl::StatusOr<pid_t> pid = spawn(plugin, access, out, err);
  WB_TRY(pid);
  out.write.close();
  err.write.close();
  Outcome outcome = follow(*pid, out, err, timeout, stopped);
  const std::string name = "the credential plugin " + plugin.command;
  if (!outcome.trouble.empty()) return conflict(name + " " + outcome.trouble);
  if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0) {
    const std::string how = WIFEXITED(outcome.status)
                                ? fmt::format("exit status {}", WEXITSTATUS(outcome.status))
                                : fmt::format("signal {}", WTERMSIG(outcome.status));
    const std::string words = shown(std::move(outcome.err), plugin);
    return conflict(fmt::format("{} failed: {}{}{}", name, how, words.empty() ? "" : ": ", words));
  }
  auto credential = parse_exec_credential(outcome.out, plugin.api_version);
  if (!credential.ok()) return prefixed(credential.status(), name);
  return credential;
}

absl::StatusOr<ExecCredential> parse_exec_credential(std::string_view text, std::string_view api_version) {
  boost::system::error_code problem;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), problem);
  if (problem || !value.is_object())
    return conflict("its output is no JSON object; an ExecCredential was expected");
  const json::object& object = value.get_object();
  if (text_at(object, "kind") != "ExecCredential" || text_at(object, "apiVersion") != api_version)
    return conflict(fmt::format("its output is no ExecCredential of {}", api_version));
  const json::object* status = object_at(object, "status");
  if (status == nullptr) return conflict("its ExecCredential has no status");
  ExecCredential credential = {text_at(*status, "token"), text_at(*status, "clientCertificateData"),
                               text_at(*status, "clientKeyData")};
  if (credential.certificate.empty() != credential.key.empty())
    return conflict("its ExecCredential has only one of clientCertificateData and clientKeyData");
  if (credential.token.empty() && credential.certificate.empty())
    return conflict("its ExecCredential has neither a token nor a certificate");
  if (const std::string expires = text_at(*status, "expirationTimestamp"); !expires.empty()) {
    const auto time = parse_time(expires);
    if (!time.ok()) return conflict("the expirationTimestamp of its ExecCredential is no RFC 3339 time");
    credential.expires = *time;
  }
  return credential;
}

}  // namespace waybill::kube
