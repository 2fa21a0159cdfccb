#pragma once

#include <absl/time/time.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace waybill::ports {

// How the watch of one scope of a cluster is doing, on this instance.
struct WatchReport {
  std::string cluster;     // the config's id
  std::string name_space;  // "" : all
  std::string selector;
  bool leads = false;        // this instance records it; the rest is known only then
  bool synced = false;       // a complete list was seen, or the stored position taken, and nothing lost since
  absl::Duration heard_ago;  // since the last event, bookmark or page of a list
  std::optional<absl::Duration> bookmark_ago;   // nullopt: none has come yet
  std::optional<absl::Duration> committed_ago;  // likewise, of batches of records
  absl::Duration event_lag;  // of the last event: from its write on the cluster until it was taken
  std::uint64_t events = 0;
  std::uint64_t bookmarks = 0;
  std::uint64_t relists = 0;
  std::uint64_t errors = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t lost = 0;     // runs closed as Lost
  std::uint64_t retries = 0;  // of batches that the database did not take at once
  std::size_t waiting = 0;    // events not yet committed
  std::string last_error;     // "" : the last list or watch was healthy
};

}  // namespace waybill::ports
