#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <compare>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/kube/reflector.h"

namespace waybill::kube {

// What is watched: one such, one watch and one stored position, whoever wants to see it.
struct WatchKey {
  std::string cluster;  // the config's id
  Resource resource;
  std::string name_space = {};  // "" : all
  std::string label_selector = {};

  friend auto operator<=>(const WatchKey&, const WatchKey&) = default;
};

// The watches of this process. Each call of a sink is made for one subscriber after the other, in the order
// in which they came, and the slowest sets the pace. An error of one becomes a dead letter for that one
// alone. io thread only; outlives its subscriptions.
class SharedWatches {
 public:
  SharedWatches(boost::asio::any_io_executor io, ports::Clock& clock, Log& log, ReflectorTimes times = {});
  ~SharedWatches();
  SharedWatches(const SharedWatches&) = delete;
  SharedWatches& operator=(const SharedWatches&) = delete;

  // How a subscriber comes in.
  enum class Joins {
    kWithList,      // sees a complete list first; on a watch that runs already all others see it too
    kWithPosition,  // goes on from `start_at`; on a watch that runs already: as kWithList
    kForNudges,     // sees events and later lists as they come, no list at first
  };

  // Ends with its destruction: no further call of the sink begins after that.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&&) noexcept;
    Subscription& operator=(Subscription&&) noexcept;
    ~Subscription();
    // The state of the watch behind it. Not of an empty subscription.
    [[nodiscard]] const ReflectorMetrics& metrics() const;
    void list_again();

    struct Seat;

   private:
    friend class SharedWatches;
    explicit Subscription(std::shared_ptr<Seat> seat) : seat_(std::move(seat)) {}
    std::shared_ptr<Seat> seat_;
  };

  // The watch begins with the first subscriber, when the io thread is free next: those who come in the same
  // go share its beginning. It ends with the last. `sink` outlives the subscription, and `api`, of which the
  // first one's is used, the whole SharedWatches.
  [[nodiscard]] Subscription subscribe(const WatchKey& key, Api& api, WatchSink& sink,
                                       Joins joins = Joins::kWithList, std::string start_at = {});

  // Of all watches, for metrics and readiness.
  struct Row {
    WatchKey key;
    const ReflectorMetrics* metrics;
  };
  [[nodiscard]] std::vector<Row> rows() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::kube
