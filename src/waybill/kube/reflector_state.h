#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "waybill/kube/backoff.h"
#include "waybill/kube/list_reader.h"
#include "waybill/kube/reflector.h"
#include "waybill/kube/stream_scan.h"
#include "waybill/kube/watch_event.h"
#include "waybill/ports/wakeup.h"

namespace waybill::kube {

// A watch under way.
struct OpenWatch {
  explicit OpenWatch(const boost::asio::any_io_executor& io) : changed(io) {}
  std::unique_ptr<ByteStream> stream;
  absl::Duration lasts;                               // so long, as the server was asked
  bool in_list = false;                               // it began with a list, and that has not ended
  absl::Duration patience;                            // longer silence means that the connection is dead
  absl::Time reading_since = absl::InfiniteFuture();  // InfiniteFuture: the sink is at work
  bool silent = false;                                // the watchdog ended it
  bool over = false;
  ports::Wakeup changed;  // for the watchdog
};

struct Reflector::State {
  State(boost::asio::any_io_executor on, Api& where, ports::Clock& time, Log& to, ReflectorOptions how,
        WatchSink& into);

  // reflector.cc: the loop, lists, and what follows from endings
  static Task<void> run(std::shared_ptr<State> self);
  static Task<absl::Status> step(std::shared_ptr<State> self);
  static Task<absl::Status> list_once(std::shared_ptr<State> self);
  static Task<absl::Status> ask_for_position(std::shared_ptr<State> self);
  static Task<void> take_item(std::shared_ptr<State> self, Received item);
  static Task<void> put_aside(std::shared_ptr<State> self, DeadLetter letter);
  static Task<void> after(std::shared_ptr<State> self, absl::Status ended);
  Task<void> pause(absl::Duration duration);
  void interrupt();
  void note(const absl::Status& problem);
  void lose_position();
  [[nodiscard]] std::string name() const;
  struct Ending {
    absl::Duration wait;
    bool lost = false;  // the position
  };
  [[nodiscard]] Ending judge(const absl::Status& ended);
  [[nodiscard]] static absl::Status interrupted() { return absl::CancelledError("the list was interrupted"); }

  // reflector_watch.cc: one watch, with the list it may begin with
  static Task<absl::Status> watch_once(std::shared_ptr<State> self, bool streaming);
  static Task<absl::Status> follow(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch);
  static Task<absl::Status> take_line(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch,
                                      WatchLine line);
  static Task<absl::Status> take_bookmark(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch,
                                          WatchLine line);
  static Task<void> take_event(std::shared_ptr<State> self, WatchLine line);
  static Task<void> guard(std::shared_ptr<State> self, std::shared_ptr<OpenWatch> watch);
  [[nodiscard]] ApiRequest watch_request(bool streaming, absl::Duration timeout) const;
  [[nodiscard]] static bool is_position_lost(const absl::Status& ended);

  boost::asio::any_io_executor io;
  Api& api;
  const std::shared_ptr<Api> kept;  // nullptr: it is not shared, and outlives this by itself
  ports::Clock& clock;
  Log& log;
  const ReflectorOptions options;
  WatchSink& sink;
  ReflectorMetrics metrics;
  Backoff backoff;

  std::string position;  // "" : a list is needed
  bool in_doubt = true;  // whether the server still has the position: it was stored, or the connection broke
  bool plain_next = false;         // a streaming list did not work just now
  bool streaming_refused = false;  // the server knows nothing of them
  int suspects = 0;
  struct WatchFacts {
    absl::Duration lasted = absl::ZeroDuration();
    std::uint64_t events = 0;  // with bookmarks
    bool streaming = false;    // its list did not end
  };
  WatchFacts last_watch;

  std::shared_ptr<ListReader> reader;
  std::shared_ptr<OpenWatch> watch;
  ByteStream* question = nullptr;
  ports::Wakeup wake;
  bool stopping = false;
  bool list_wanted = false;
};

}  // namespace waybill::kube
