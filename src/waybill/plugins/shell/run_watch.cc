#include "waybill/plugins/shell/run_watch.h"

#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

namespace waybill::plugins {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

}  // namespace

struct RunWatch::State : std::enable_shared_from_this<State> {
  State(boost::asio::any_io_executor executor, ports::Nudge nudge_to)
      : io(std::move(executor)), nudge(std::move(nudge_to)), changes(io) {}

  void read_changes() {
    changes.async_wait(stream_descriptor::wait_read, [self = shared_from_this()](error_code problem) {
      if (!problem && self->take_changes()) self->read_changes();
    });
  }

  // False: the descriptor is of no more use.
  bool take_changes() {
    alignas(inotify_event) std::array<char, 16384> buffer = {};
    const ssize_t n = ::read(changes.native_handle(), buffer.data(), buffer.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(n);) {
      inotify_event event = {};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      at += sizeof(event) + event.len;
      const auto found = outputs.find(event.wd);
      if (found == outputs.end()) continue;
      const JobId id = found->second;
      if ((event.mask & IN_IGNORED) != 0) outputs.erase(found);
      if ((event.mask & (IN_MODIFY | IN_CLOSE_WRITE)) != 0) nudge(id);
    }
    return n > 0;
  }

  boost::asio::any_io_executor io;
  ports::Nudge nudge;
  stream_descriptor changes;
  std::map<int, JobId> outputs;          // watch descriptor -> job
  std::map<std::string, int> output_of;  // run -> its last watch descriptor
  std::multimap<std::string, std::shared_ptr<stream_descriptor>> processes;  // by run
};

RunWatch::RunWatch(boost::asio::any_io_executor io, ports::Nudge nudge)
    : state_(std::make_shared<State>(std::move(io), std::move(nudge))) {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return;  // too many instances of this user: the poll finds changes too
  state_->changes.assign(fd);
  state_->read_changes();
}

RunWatch::~RunWatch() {
  error_code ignored;
  state_->changes.close(ignored);
  for (auto& [run, process] : state_->processes) process->close(ignored);
}

void RunWatch::watch_process(const JobId& id, const std::string& run, UniqueFd process) {
  if (!process.ok()) return;
  auto descriptor = std::make_shared<stream_descriptor>(state_->io, process.release());
  state_->processes.emplace(run, descriptor);
  descriptor->async_wait(
      stream_descriptor::wait_read, [state = state_, descriptor, id, run](error_code problem) {
        if (problem) return;
        siginfo_t info = {};
        static_cast<void>(
            ::waitid(P_PIDFD, static_cast<id_t>(descriptor->native_handle()), &info, WEXITED | WNOHANG));
        const auto [first, last] = state->processes.equal_range(run);
        const auto mine =
            std::find_if(first, last, [&](const auto& entry) { return entry.second == descriptor; });
        if (mine != last) state->processes.erase(mine);
        state->nudge(id);
      });
}

bool RunWatch::watches(const std::string& run) const { return state_->processes.contains(run); }

void RunWatch::watch_output(const JobId& id, const std::string& run, const std::string& path) {
  if (!state_->changes.is_open()) return;
  const int watch = ::inotify_add_watch(state_->changes.native_handle(), path.c_str(),
                                        IN_MODIFY | IN_ONESHOT | IN_DONT_FOLLOW);
  if (watch < 0) return;
  state_->outputs[watch] = id;
  state_->output_of[run] = watch;
}

void RunWatch::forget_output(const std::string& run) {
  const auto found = state_->output_of.find(run);
  if (found == state_->output_of.end()) return;
  // A watch that has fired is gone, and numbers are not used again.
  ::inotify_rm_watch(state_->changes.native_handle(), found->second);
  state_->outputs.erase(found->second);
  state_->output_of.erase(found);
}

}  // namespace waybill::plugins
