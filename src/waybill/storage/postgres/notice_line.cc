#include "waybill/storage/postgres/notice_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/storage/postgres/array_text.h"
#include "waybill/storage/postgres/connection.h"

namespace waybill::storage {
namespace {

using ports::ChangeKind;
using ports::ChangeNotice;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kReconnect{500};
// A notice goes out at once when little happens. When much does, all of this long go out together, so that
// others are told of thousands of commits a second for the price of some hundred.
constexpr milliseconds kPace{4};
constexpr std::size_t kMostIds = 8;
constexpr milliseconds kForever{-1};

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
    wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    stopping_ = true;
    ring();
    thread_.join();
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
  void ring() const { eventfd_write(wake_.get(), 1); }

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
      wait(-1, kReconnect);
    }
  }

  absl::Status listen(PGconn* connection) {
    const Result result(PQexec(connection, queries_.text("script_listen").c_str()));
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return absl::OkStatus();
    return to_status(connection, result.get(), "listen");
  }

  // Until the connection is lost or the loop is to end.
  void serve(PGconn* connection) {
    steady_clock::time_point next_send = steady_clock::now();
    while (!stopping_) {
      milliseconds pause = kForever;
      if (has_outgoing()) {
        pause = std::chrono::ceil<milliseconds>(next_send - steady_clock::now());
        if (pause <= milliseconds(0)) {
          if (!send_waiting(connection)) return;
          next_send = steady_clock::now() + kPace;
          pause = kForever;
        }
      }
      if (PQconsumeInput(connection) == 0) return;
      deliver(connection);
      wait(PQsocket(connection), pause);
    }
  }

  bool has_outgoing() {
    const std::scoped_lock lock(mutex_);
    return !outgoing_.empty();
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
    std::vector<Value> payloads;
    for (const ChangeNotice& notice : notices) payloads.emplace_back(to_payload(self_, notice));
    std::vector<const Value*> places;
    for (const Value& payload : payloads) places.push_back(&payload);
    const std::string array = to_array_text(places);
    const char* value = array.c_str();
    const Result result(PQexecParams(connection, queries_.find("notify")->sql.c_str(), 1, nullptr, &value,
                                     nullptr, nullptr, 0));
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
      const std::scoped_lock lock(mutex_);
      for (const ChangeNotice& again : notices) outgoing_.add(again);
      return false;
    }
    return true;
  }

  void wait(int socket, milliseconds at_most) const {
    pollfd files[2] = {{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                       {.fd = socket, .events = POLLIN, .revents = 0}};
    poll(files, socket < 0 ? 1 : 2, static_cast<int>(at_most.count()));
    eventfd_t count = 0;
    eventfd_read(wake_.get(), &count);
  }

  std::string target_;
  LocalFeed& feed_;
  const Queries& queries_;
  Log& log_;
  std::string self_;
  UniqueFd wake_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  NoticeSet outgoing_{kMostIds};  // under mutex_
  std::thread thread_;
};

NoticeLine::NoticeLine(std::string connection, LocalFeed& feed, const Queries& queries, Log& log)
    : loop_(std::make_unique<Loop>(std::move(connection), feed, queries, log)) {}
NoticeLine::~NoticeLine() = default;

void NoticeLine::send(const std::vector<ChangeNotice>& notices) { loop_->send(notices); }

}  // namespace waybill::storage
