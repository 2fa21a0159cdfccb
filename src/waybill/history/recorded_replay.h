#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>

#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/history/recorder.h"
#include "waybill/history/upkeep.h"
#include "waybill/ports/event_store.h"
#include "waybill/ports/record_reader.h"
#include "waybill/ports/record_store.h"

namespace waybill::history {

struct ReplayPorts {
  boost::asio::any_io_executor io;
  ports::RecordStore& records;
  ports::RecordReader& reader;
  ports::EventStore& events;
  Log& log;
};

// Plays watch events through a recorder into a database, as a server would have recorded them at those times.
// io thread only.
class RecordedReplay {
 public:
  RecordedReplay(ReplayPorts ports, std::string cluster, LabelSelector selector);
  ~RecordedReplay();

  Task<absl::Status> start();
  // Commits what has come.
  Task<void> flush() { return recorder_.flush(); }
  // Ends it; what is not committed is lost, as with a process. Must have been called before it is destroyed.
  Task<void> stop();
  // Goes on where another one on this database stopped; result() is of both.
  Task<absl::Status> go_on(std::string began);
  [[nodiscard]] const std::string& began() const { return began_; }
  // What can't be used is skipped or put aside, as in the stream of a server.
  Task<absl::Status> event(boost::json::value event, absl::Time now);
  Task<absl::Status> list(boost::json::value list, absl::Time now);
  // replay_result() of what the tables now say of the runs that were new to them, in order of first
  // appearance.
  Task<absl::StatusOr<boost::json::object>> result();

 private:
  class ReplayClock;
  Task<absl::Status> move_to(absl::Time now);
  Task<absl::Status> pass(kube::EventType type, boost::json::object object);

  ReplayPorts ports_;
  Redactor redactor_;
  std::unique_ptr<ReplayClock> clock_;
  Recorder recorder_;
  Upkeep upkeep_;
  std::string began_;                // the position of the events before
  std::optional<absl::Time> first_;  // when the first event came
};

}  // namespace waybill::history
