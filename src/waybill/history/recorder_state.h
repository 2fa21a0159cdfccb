#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "waybill/history/recorder.h"
#include "waybill/ports/wakeup.h"

// The inside of recorder.h; included by its own sources only.
namespace waybill::history {

// An object as it came.
struct SeenObject {
  Application app;
  Seen seen = Seen::kPresent;
  absl::Time now;
};

// What becomes one transaction.
struct Gathered {
  std::vector<SeenObject> objects;
  std::vector<ports::ObjectDeadLetter> letters;
  std::string cursor;  // "" : it moves nothing
  std::size_t bytes = 0;
  [[nodiscard]] bool empty() const { return objects.empty() && letters.empty() && cursor.empty(); }
};

struct Recorder::State : std::enable_shared_from_this<Recorder::State> {
  State(RecorderPorts given, RecorderOptions chosen)
      : ports(std::move(given)), options(std::move(chosen)), work(ports.io), done(ports.io) {}

  // Gathers and commits until stop().
  static Task<void> run(std::shared_ptr<State> self);
  void push(std::optional<SeenObject> object, std::optional<ports::ObjectDeadLetter> letter,
            std::string cursor, std::size_t bytes);
  [[nodiscard]] bool is_full() const {
    return gathered.objects.size() >= options.batch_events || gathered.bytes >= options.batch_bytes;
  }
  Task<void> wait_for_room();
  Task<void> drain();

  // Until it is committed, or stop().
  Task<void> commit(Gathered batch);
  // Once: OK, or why not. What was written is taken out of the batch.
  Task<absl::Status> attempt(Gathered& batch);
  Task<absl::Status> decide(Decision& decision, const Gathered& batch);
  Task<void> apply(Decision& decision, const SeenObject& object);
  // Object by object; what the database refuses becomes a dead letter.
  Task<void> isolate(Gathered batch);
  Task<void> pause(absl::Duration& length, const absl::Status& why);
  void keep_lost(Gathered& batch, const std::vector<std::string>& lost, const Decision& decision) const;

  // What a reading by name says of an object that the watch no longer shows.
  struct Reading {
    enum Kind { kGone, kThere, kUnknown } kind = kUnknown;
    Application app = {};
  };
  Task<Reading> read(std::string uid, std::string name_space, std::string name);
  // After a complete list: what is not in it any more (R12).
  Task<void> sweep(std::uint64_t version);
  enum class Why { kMissing, kOutside };
  Task<void> settle(std::vector<domain::KnownObject> objects, Why why);
  Task<absl::Status> settle_once(const std::vector<domain::KnownObject>& objects, Why why);
  Task<void> settle_one(Decision& decision, std::string uid, Why why);
  Task<void> read_outside();

  enum class Cursor { kStays, kMoves };
  // OK for an object of another kind, which is passed over.
  absl::Status take(kube::Received received, Seen seen, Cursor cursor);
  [[nodiscard]] ports::ObjectDeadLetter letter_of(const kube::DeadLetter& letter) const;
  [[nodiscard]] bool is_listed(const domain::KnownObject& object) const;

  RecorderPorts ports;
  RecorderOptions options;
  ReadOptions reading;
  Gathered gathered;
  ports::Wakeup work;  // for run()
  ports::Wakeup done;  // for who waits for it
  bool committing = false;
  bool urgent = false;
  bool stopping = false;
  bool running = false;

  bool listing = false;
  bool list_is_blind = false;  // it holds an object of which neither uid nor name could be read
  std::set<std::string> listed;
  std::set<std::pair<std::string, std::string>> listed_names;  // of those put aside

  RecorderMetrics metrics;
};

}  // namespace waybill::history
