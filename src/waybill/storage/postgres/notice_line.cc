#include "waybill/storage/postgres/notice_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/storage/postgres/connection.h"

namespace waybill::storage {
namespace {

using ports::ChangeKind;
using ports::ChangeNotice;

constexpr int kReconnectMilliseconds = 500;

// "<sender> <kind> <id>"; a channel is one per database.
std::string to_payload(const std::string& sender, const ChangeNotice& notice) {
  return fmt::format("{} {} {}", sender, static_cast<int>(notice.kind), notice.id);
}

// Whether the payload is another's; whoever may connect may also send nonsense.
bool parse_payload(std::string_view payload, const std::string& self, ChangeNotice& notice) {
  const std::size_t first = payload.find(' ');
  if (first == std::string_view::npos || payload.substr(0, first) == self) return false;
  payload.remove_prefix(first + 1);
  int kind = 0;
  const auto [end, problem] = std::from_chars(payload.data(), payload.data() + payload.size(), kind);
  const auto used = static_cast<std::size_t>(end - payload.data());
  if (problem != std::errc() || used >= payload.size() || payload[used] != ' ') return false;
  if (kind < 0 || kind > static_cast<int>(ChangeKind::kEventsAppended)) return false;
  notice.kind = static_cast<ChangeKind>(kind);
  notice.id = payload.substr(used + 1);
  return true;
}

}  // namespace

class NoticeLine::Loop {
 public:
  Loop(std::string connection, LocalFeed& feed, const Queries& queries, Log& log)
      : target_(std::move(connection)), feed_(feed), queries_(queries), log_(log) {
    std::random_device device;
    self_ = fmt::format("{:08x}{:08x}", device(), device());
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    stopping_ = true;
    ring();
    thread_.join();
    close(wake_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void send(const std::vector<ChangeNotice>& notices) {
    {
      const std::scoped_lock lock(mutex_);
      for (const ChangeNotice& notice : notices) outgoing_.add(notice);
    }
    ring();
  }

 private:
  void ring() const { eventfd_write(wake_, 1); }

  void run() {
    bool missed = false;  // the first connection has missed nothing
    bool said = false;    // once an outage, not at each try
    while (!stopping_) {
      absl::StatusOr<Connection> made = connect(target_);
      if (made.ok() && listen(made->get()).ok()) {
        said = false;
        if (missed) feed_.publish(everything());
        serve(made->get());
      }
      missed = true;
      if (stopping_) return;
      if (!std::exchange(said, true))
        log_.warn("the connection for change notices was lost and is made again");
      wait(-1, kReconnectMilliseconds);
    }
  }

  absl::Status listen(PGconn* connection) {
    const Result result(PQexec(connection, queries_.text("script_listen").c_str()));
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return absl::OkStatus();
    return to_status(connection, result.get(), "listen");
  }

  // Until the connection is lost or the loop is to end.
  void serve(PGconn* connection) {
    while (!stopping_) {
      if (!send_waiting(connection) || PQconsumeInput(connection) == 0) return;
      deliver(connection);
      wait(PQsocket(connection), -1);
    }
  }

  void deliver(PGconn* connection) {
    std::vector<ChangeNotice> notices;
    while (PGnotify* raw = PQnotifies(connection)) {
      const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notify(raw, PQfreemem);
      ChangeNotice notice;
      if (parse_payload(notify->extra, self_, notice)) notices.push_back(std::move(notice));
    }
    if (!notices.empty()) feed_.publish(notices);
  }

  bool send_waiting(PGconn* connection) {
    std::vector<ChangeNotice> notices;
    {
      const std::scoped_lock lock(mutex_);
      notices = outgoing_.take();
    }
    for (const ChangeNotice& notice : notices) {
      const std::string payload = to_payload(self_, notice);
      const char* value = payload.c_str();
      const Result result(PQexecParams(connection, queries_.find("notify")->sql.c_str(), 1, nullptr, &value,
                                       nullptr, nullptr, 0));
      if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
        const std::scoped_lock lock(mutex_);
        for (const ChangeNotice& again : notices) outgoing_.add(again);
        return false;
      }
    }
    return true;
  }

  void wait(int socket, int milliseconds) const {
    pollfd files[2] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                       {.fd = socket, .events = POLLIN, .revents = 0}};
    poll(files, socket < 0 ? 1 : 2, milliseconds);
    eventfd_t count = 0;
    eventfd_read(wake_, &count);
  }

  std::string target_;
  LocalFeed& feed_;
  const Queries& queries_;
  Log& log_;
  std::string self_;
  int wake_ = -1;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  NoticeSet outgoing_;  // under mutex_
  std::thread thread_;
};

NoticeLine::NoticeLine(std::string connection, LocalFeed& feed, const Queries& queries, Log& log)
    : loop_(std::make_unique<Loop>(std::move(connection), feed, queries, log)) {}
NoticeLine::~NoticeLine() = default;

void NoticeLine::send(const std::vector<ChangeNotice>& notices) { loop_->send(notices); }

}  // namespace waybill::storage
