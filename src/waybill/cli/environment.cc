#include "waybill/cli/environment.h"

#include <absl/time/clock.h>
#include <poll.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <limits>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by the user

namespace waybill::cli {
namespace {

std::map<std::string, std::string> all_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      found.emplace(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
    }
  }
  return found;
}

std::string login_name() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> space{};
  if (getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found) != 0 || found == nullptr) return "";
  return found->pw_name;
}

int terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void wait_for(int descriptor, absl::Duration duration) {
  constexpr std::int64_t kLongest = std::numeric_limits<int>::max();
  const std::int64_t milliseconds =
      std::clamp<std::int64_t>(absl::ToInt64Milliseconds(duration), 0, kLongest);
  pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
  poll(&watched, 1, static_cast<int>(milliseconds));
}

}  // namespace

std::optional<std::string> Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

bool Environment::interrupted() const {
  if (interrupt_fd < 0) return false;
  pollfd watched{.fd = interrupt_fd, .events = POLLIN, .revents = 0};
  return poll(&watched, 1, 0) > 0;
}

bool Environment::pause(absl::Duration duration) const {
  if (sleep) {
    sleep(duration, interrupt_fd);
  } else {
    wait_for(interrupt_fd, duration);
  }
  return !interrupted();
}

Environment process_environment() {
  // A reader that goes away (`waybill logs -f ID | head`) is an error of the stream, seen where it is
  // written.
  std::signal(SIGPIPE, SIG_IGN);
  return {.variables = all_variables(),
          .in = std::cin,
          .out = std::cout,
          .err = std::cerr,
          .out_is_terminal = isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = isatty(STDERR_FILENO) == 1,
          .columns = terminal_columns(),
          .login_name = login_name(),
          .now = [] { return absl::Now(); },
          .sleep = nullptr,
          .catch_interrupts = true,
          .interrupt_fd = -1};
}

InterruptWatch::InterruptWatch(Environment& environment) : environment_(environment) {
  // A reader that goes away (`waybill logs -f ID | head`) is an error of the stream, seen where it is
  // written. Not for the whole program: the server's children would inherit it.
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  environment_.interrupt_fd = descriptor_;
}

InterruptWatch::~InterruptWatch() {
  environment_.interrupt_fd = -1;
  // The signal was heard; taken out, so that unblocking it does not kill the process before it has said why.
  signalfd_siginfo heard{};
  while (descriptor_ >= 0 && read(descriptor_, &heard, sizeof heard) > 0) {
  }
  if (descriptor_ >= 0) close(descriptor_);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
}

}  // namespace waybill::cli
