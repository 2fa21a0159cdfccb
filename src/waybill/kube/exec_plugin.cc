#include "waybill/kube/exec_plugin.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_replace.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
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
#include "waybill/base/spawn.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/base/unique_fd.h"
#include "waybill/kube/json_access.h"

extern char** environ;

namespace waybill::kube {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
constexpr std::size_t kMostWords = 300;
constexpr std::size_t kShortestSecret = 6;  // shorter values would mask every other word

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

absl::StatusOr<pid_t> spawn(const ExecPlugin& plugin, const Access& access, const Pipe& out,
                            const Pipe& err) {
  SpawnActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.duplicate(out.write.get(), STDOUT_FILENO);
  actions.duplicate(err.write.get(), STDERR_FILENO);
  actions.close_from(STDERR_FILENO + 1);
  const SpawnAttributes attributes(SpawnAttributes::Leads::kGroup);
  std::vector<std::string> words = {plugin.command};
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  const std::vector<std::string> variables = environment_of(plugin, access);
  pid_t pid = 0;
  const int problem = ::posix_spawnp(&pid, words[0].c_str(), actions.get(), attributes.get(),
                                     exec_texts(words).data(), exec_texts(variables).data());
  if (problem == 0) return pid;
  const std::string hint =
      plugin.install_hint.empty() ? "" : "; " + plugin.install_hint.substr(0, kMostWords);
  return conflict(fmt::format("cannot run the credential plugin {}: {}{}", plugin.command,
                              std::generic_category().message(problem), hint));
}

// Takes what is there; false once there will be nothing more.
bool drain(const UniqueFd& file, std::string& text, std::size_t most) {
  char block[16384];
  while (text.size() <= most) {
    const ssize_t got = ::read(file.get(), block, sizeof block);
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
  const UniqueFd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Outcome outcome;
  pollfd watched[] = {{ended.get(), POLLIN, 0},
                      {stopped, POLLIN, 0},
                      {out.read.get(), POLLIN, 0},
                      {err.read.get(), POLLIN, 0}};
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
  if (!make_pipe(out) || !make_pipe(err)) return unavailable("no pipe is left for a credential plugin");
  for (const Pipe* pipe : {&out, &err}) ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
  const absl::StatusOr<pid_t> pid = spawn(plugin, access, out, err);
  WB_TRY(pid);
  out.write.reset();
  err.write.reset();
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
