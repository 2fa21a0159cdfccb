#include "waybill/plugins/shell/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

namespace waybill::plugins {
namespace {

struct Stat {
  char state = 'X';
  pid_t group = 0;
  std::uint64_t start_time = 0;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  if (in) out << in.rdbuf();
  return out.str();
}

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + '/' + file; }

// The program's name in parentheses may hold anything, also parentheses: fields are counted after the last.
Stat read_stat(pid_t pid) {
  const std::string text = slurp(proc(pid, "stat"));
  const std::size_t end_of_name = text.rfind(')');
  Stat stat;
  if (end_of_name == std::string::npos) return stat;
  std::istringstream in(text.substr(end_of_name + 1));
  std::string skipped;
  in >> stat.state >> skipped >> stat.group;  // fields 3, 4, 5
  for (int field = 6; field <= 21; ++field) in >> skipped;
  in >> stat.start_time;
  if (!in) return Stat();
  return stat;
}

std::string boot_id() {
  std::string id = slurp("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

bool carries(pid_t pid, const std::string& variable) {
  const std::string environment = '\0' + slurp(proc(pid, "environ"));
  return environment.find('\0' + variable + '\0') != std::string::npos;
}

void add_children(pid_t pid, std::vector<pid_t>& found) {
  std::istringstream in(slurp(proc(pid, "task/") + std::to_string(pid) + "/children"));
  for (pid_t child = 0; in >> child;) found.push_back(child);
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  if (!directory) return found;
  // readdir is safe here: this directory stream is ours alone.
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (problem == std::errc() && end == name.data() + name.size()) found.push_back(pid);
  }
  return found;
}

}  // namespace

ProcessIdentity identify(pid_t pid) {
  ProcessIdentity identity;
  identity.pid = pid;
  identity.start_time = read_stat(pid).start_time;
  identity.boot_id = boot_id();
  return identity;
}

bool is_alive(const ProcessIdentity& identity) {
  const Stat stat = read_stat(identity.pid);
  return stat.start_time != 0 && stat.state != 'Z' && stat.state != 'X' &&
         stat.start_time == identity.start_time && boot_id() == identity.boot_id;
}

std::vector<pid_t> descendants() {
  std::vector<pid_t> found;
  add_children(::getpid(), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t at = found[i];
    add_children(at, found);
  }
  return found;
}

int kill_leftovers(const ProcessIdentity& child, const std::string& job_id, int attempt) {
  if (child.boot_id != boot_id()) return 0;
  // While the leader itself is there, its group is the run's; after that only the environment can tell.
  const bool has_leader = read_stat(child.pid).start_time == child.start_time;
  int killed = 0;
  for (const pid_t pid : all_processes()) {
    if (pid <= 1 || pid == ::getpid()) continue;
    const Stat stat = read_stat(pid);
    if (stat.state == 'Z' || stat.state == 'X' || stat.start_time < child.start_time) continue;
    const bool ours = (has_leader && stat.group == child.pid) ||
                      (carries(pid, "WAYBILL_JOB_ID=" + job_id) &&
                       carries(pid, "WAYBILL_ATTEMPT=" + std::to_string(attempt)));
    if (ours && ::kill(pid, SIGKILL) == 0) ++killed;
  }
  return killed;
}

}  // namespace waybill::plugins
