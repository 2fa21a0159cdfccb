#pragma once

#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "waybill/domain/job.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// What a pod says of itself.
struct PodSight {
  std::string uid;  // "" : there is none
  std::string name;
  std::string container;  // the main one
  std::string phase;      // "Pending", "Running", "Succeeded", "Failed", "Unknown"
  bool deleting = false;
  bool disrupted = false;      // evicted, preempted, or its node is gone
  std::string reason;          // status.reason, or that of the disruption
  std::string message;         // likewise
  std::string waiting_reason;  // of the main container: "ErrImagePull"
  std::string waiting_message;
  bool has_ended = false;  // the main container
  std::int64_t exit_code = 0;
  std::string end_reason;           // "OOMKilled", "Error"
  std::string termination_message;  // what it wrote to /dev/termination-log
  bool unschedulable = false;
  std::string unschedulable_message;

  [[nodiscard]] bool is_there() const { return !uid.empty(); }
  [[nodiscard]] bool is_over() const { return has_ended || phase == "Succeeded" || phase == "Failed"; }
};
[[nodiscard]] PodSight read_pod(const boost::json::object& pod, std::string_view main_container);

// What keeps a pod from beginning.
struct PodTrouble {
  std::string note;        // one sentence, with what to do
  bool is_for_us = false;  // no waiting mends it
  bool may_pass = true;    // it is nobody's mistake: waiting is right
};
[[nodiscard]] std::optional<PodTrouble> pod_trouble(const PodSight& pod);

// How a pod's end is to be understood. `what` names it: "the driver".
[[nodiscard]] ports::Observation pod_end(const PodSight& pod, std::string_view what);

// At most `limit` bytes of a text, the middle left out; never cuts a character.
[[nodiscard]] std::string shortened(std::string text, std::size_t limit);

}  // namespace waybill::plugins
