#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <boost/json/fwd.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "waybill/history/rules.h"
#include "waybill/history/selector.h"

namespace waybill::history {

// What a replay selects unless it is told otherwise: whatever carries a record id.
inline constexpr char kReplaySelector[] = "caraml.dev/record-id";

// {"records":[…],"params":[…]} of these runs; open ends are null.
[[nodiscard]] boost::json::object replay_result(const std::vector<const domain::Run*>& runs);

// Plays watch events through the rules, in memory: how the sequences of tests/testdata/spark are checked, and
// how a maintainer looks at what a stream of a real cluster would have been recorded as.
class Replay {
 public:
  explicit Replay(LabelSelector selector) : selector_(std::move(selector)) {}

  // One event of a watch, received at `now`. What can't be used is skipped, as in the stream of a server.
  void event(const boost::json::value& event, absl::Time now);
  // A complete list: what is known, open and not in it is gone (R12).
  void list(const boost::json::value& list, absl::Time now);

  // replay_result() in order of first appearance.
  [[nodiscard]] boost::json::object result() const;

 private:
  void object(const boost::json::value& object, Seen seen, absl::Time now);
  void close_namesakes(const Application& app, absl::Time now);
  void sweep(std::uint64_t version, absl::Time now);
  void keep(KnownObject known);
  [[nodiscard]] std::string allot(const std::string& wanted);

  LabelSelector selector_;
  std::map<std::string, KnownObject> objects_;      // by uid
  std::vector<std::pair<std::string, int>> order_;  // uid and number of runs as they appeared
  std::set<std::string> ids_;
  std::set<std::string> listed_;  // uids seen since the list began
};

}  // namespace waybill::history
