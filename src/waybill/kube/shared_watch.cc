#include "waybill/kube/shared_watch.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "waybill/base/status.h"

namespace waybill::kube {

using Joins = SharedWatches::Joins;
class FanOut;

struct SharedWatches::Subscription::Seat {
  Seat(WatchSink& to, Joins how, std::string from) : sink(to), joins(how), start_at(std::move(from)) {}
  WatchSink& sink;
  const Joins joins;
  const std::string start_at;
  bool seated = false;  // it gets events; before, it waits for the next list
  bool gone = false;
  std::shared_ptr<FanOut> watch;
  std::function<void(const std::shared_ptr<Seat>&)> leave;
};

// One watch and all who see it.
class FanOut : public WatchSink, public std::enable_shared_from_this<FanOut> {
 public:
  using Seat = SharedWatches::Subscription::Seat;

  FanOut(boost::asio::any_io_executor io, ports::Clock& clock, Log& log, ReflectorTimes times,
         const WatchKey& key, Api& api)
      : io_(std::move(io)), clock_(clock), log_(log), times_(times), api_(api) {
    listing_.resource = key.resource;
    listing_.name_space = key.name_space;
    listing_.label_selector = key.label_selector;
  }

  void join(const std::shared_ptr<Seat>& seat) {
    seats_.push_back(seat);
    seat->watch = shared_from_this();
    if (seat->joins == Joins::kForNudges) seat->seated = true;
    if (reflector_ != nullptr && seat->joins != Joins::kForNudges) reflector_->list_again();
  }
  // Whether it was the last.
  bool leave(const std::shared_ptr<Seat>& seat) {
    seat->gone = true;
    std::erase(seats_, seat);
    if (!seats_.empty()) return false;
    stop();
    return true;
  }
  void begin() {
    if (stopped_ || reflector_ != nullptr) return;
    ReflectorOptions options;
    options.listing = listing_;
    options.times = times_;
    options.start_at = common_start();
    options.seed = static_cast<std::uint64_t>(absl::ToUnixNanos(clock_.now()));
    for (const auto& seat : seats_) seat->seated = seat->seated || !options.start_at.empty();
    reflector_ = std::make_unique<Reflector>(io_, api_, clock_, log_, std::move(options), *this);
    auto rethrow = [](std::exception_ptr problem) {
      if (problem) std::rethrow_exception(problem);
    };
    boost::asio::co_spawn(io_, run(shared_from_this()), rethrow);
  }
  void stop() {
    stopped_ = true;
    if (reflector_ != nullptr) reflector_->stop();
  }
  void list_again() {
    if (reflector_ != nullptr) reflector_->list_again();
  }
  [[nodiscard]] const ReflectorMetrics& metrics() const {
    return reflector_ == nullptr ? not_begun_ : reflector_->metrics();
  }

  Task<void> on_list_begin() override {
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (seat->gone) continue;
      seat->seated = true;
      co_await seat->sink.on_list_begin();
    }
  }
  Task<absl::Status> on_item(Received item) override {
    DeadLetter letter;
    letter.name = name_of(item.object);
    letter.type = "LISTED";
    letter.size = item.size;
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (seat->gone || !seat->seated) continue;
      Received copy = seat == seats.back() ? std::move(item) : item;
      const absl::Status taken = co_await seat->sink.on_item(std::move(copy));
      if (!taken.ok()) co_await refuse(seat, letter, taken);
    }
    co_return absl::OkStatus();
  }
  Task<void> on_list_end(std::string resource_version) override {
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (!seat->gone && seat->seated) co_await seat->sink.on_list_end(resource_version);
    }
  }
  Task<absl::Status> on_event(WatchEvent event) override {
    DeadLetter letter;
    letter.name = name_of(event.received.object);
    letter.type = word_of(event.type);
    letter.size = event.received.size;
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (seat->gone || !seat->seated) continue;
      WatchEvent copy = seat == seats.back() ? std::move(event) : event;
      const absl::Status taken = co_await seat->sink.on_event(std::move(copy));
      if (!taken.ok()) co_await refuse(seat, letter, taken);
    }
    co_return absl::OkStatus();
  }
  Task<void> on_bookmark(std::string resource_version) override {
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (!seat->gone && seat->seated) co_await seat->sink.on_bookmark(resource_version);
    }
  }
  Task<void> on_dead_letter(DeadLetter letter) override {
    const std::vector<std::shared_ptr<Seat>> seats = seats_;
    for (const auto& seat : seats) {
      if (!seat->gone && seat->seated) co_await seat->sink.on_dead_letter(letter);
    }
  }

 private:
  static Task<void> run(std::shared_ptr<FanOut> self) { co_await self->reflector_->run(); }

  static std::string word_of(EventType type) {
    switch (type) {
      case EventType::kAdded:
        return "ADDED";
      case EventType::kModified:
        return "MODIFIED";
      case EventType::kDeleted:
        break;
    }
    return "DELETED";
  }

  // An object that one subscriber could not handle is put aside for that one alone.
  Task<void> refuse(std::shared_ptr<Seat> seat, DeadLetter letter, absl::Status why) {
    letter.reason = message(why);
    log_.warn("an object was put aside", {{"watch", to_string(listing_.resource)},
                                          {"namespace", letter.name.name_space},
                                          {"name", letter.name.name},
                                          {"reason", letter.reason}});
    if (!seat->gone) co_await seat->sink.on_dead_letter(std::move(letter));
  }

  // The stored position, if nobody needs a list and all know the same one.
  [[nodiscard]] std::string common_start() const {
    std::optional<std::string> common;
    for (const auto& seat : seats_) {
      if (seat->joins == Joins::kWithList) return "";
      if (seat->joins != Joins::kWithPosition) continue;
      if (common && *common != seat->start_at) return "";
      common = seat->start_at;
    }
    return common.value_or("");
  }

  boost::asio::any_io_executor io_;
  ports::Clock& clock_;
  Log& log_;
  const ReflectorTimes times_;
  Api& api_;
  Listing listing_;
  std::vector<std::shared_ptr<Seat>> seats_;
  std::unique_ptr<Reflector> reflector_;
  ReflectorMetrics not_begun_;
  bool stopped_ = false;
};

struct SharedWatches::State {
  boost::asio::any_io_executor io;
  ports::Clock& clock;
  Log& log;
  const ReflectorTimes times;
  std::map<WatchKey, std::shared_ptr<FanOut>> watches;
};

SharedWatches::SharedWatches(boost::asio::any_io_executor io, ports::Clock& clock, Log& log,
                             ReflectorTimes times)
    : state_(new State{std::move(io), clock, log, times, {}}) {}

SharedWatches::~SharedWatches() {
  for (const auto& [key, watch] : state_->watches) watch->stop();
}

SharedWatches::Subscription SharedWatches::subscribe(const WatchKey& key, Api& api, WatchSink& sink,
                                                     Joins joins, std::string start_at) {
  std::shared_ptr<FanOut>& watch = state_->watches[key];
  const bool is_new = watch == nullptr;
  if (is_new)
    watch = std::make_shared<FanOut>(state_->io, state_->clock, state_->log, state_->times, key, api);
  auto seat = std::make_shared<Subscription::Seat>(sink, joins, std::move(start_at));
  watch->join(seat);
  if (is_new) boost::asio::post(state_->io, [watch] { watch->begin(); });
  seat->leave = [state = std::weak_ptr(state_), key, watch](const std::shared_ptr<Subscription::Seat>& who) {
    const auto shared = state.lock();
    if (watch->leave(who) && shared) shared->watches.erase(key);
  };
  return Subscription(std::move(seat));
}

std::vector<SharedWatches::Row> SharedWatches::rows() const {
  std::vector<Row> rows;
  for (const auto& [key, watch] : state_->watches) rows.push_back({key, &watch->metrics()});
  return rows;
}

SharedWatches::Subscription::Subscription(Subscription&&) noexcept = default;
SharedWatches::Subscription& SharedWatches::Subscription::operator=(Subscription&& other) noexcept {
  const Subscription before(std::exchange(seat_, std::exchange(other.seat_, nullptr)));
  return *this;
}
SharedWatches::Subscription::~Subscription() {
  if (seat_ == nullptr) return;
  const auto leave = std::exchange(seat_->leave, nullptr);
  leave(seat_);
}
const ReflectorMetrics& SharedWatches::Subscription::metrics() const { return seat_->watch->metrics(); }
void SharedWatches::Subscription::list_again() { seat_->watch->list_again(); }

}  // namespace waybill::kube
