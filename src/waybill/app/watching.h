#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/config/config.h"
#include "waybill/history/decision.h"
#include "waybill/history/retention.h"
#include "waybill/history/watchers.h"
#include "waybill/kube/kubeconfig.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_store.h"

namespace waybill::app {

// How an entry of `history` reaches its API server. Errors: as kube::find_access.
[[nodiscard]] absl::StatusOr<kube::Access> find_access(const config::KubernetesAccess& access);

// The clusters of the config's `history`, each with a client of its own. Errors: InvalidArgument (a
// kubeconfig; two entries that reach one API server would record every run twice), NotFound. Reads files.
[[nodiscard]] absl::StatusOr<std::vector<history::WatchedCluster>> watched_clusters(
    boost::asio::any_io_executor io, ports::Clock& clock, const config::Config& config);

struct WatchingParts {
  boost::asio::any_io_executor io;
  ports::RecordStore& records;
  ports::Clock& clock;
  Log& log;
  const Redactor& redactor;
  kube::SharedWatches& watches;
  history::RenderAttributes render;
};

struct WatchingOptions {
  InstanceId instance;
  std::vector<history::WatchedCluster> clusters = {};  // empty: this instance watches nothing
  std::size_t manifest_bytes = 0;
  absl::Duration close_unwatched_after = {};
  absl::Duration keep = absl::ZeroDuration();  // of ended records; zero: this instance removes none
};

// What a server does for the run history: it records what happens on the clusters and removes what is old.
// What its parts refer to outlives it. io thread only.
class Watching {
 public:
  Watching(WatchingParts parts, WatchingOptions options);

  void start();
  // Commits what has come.
  Task<void> stop();
  // One of each watched scope; empty where this instance watches nothing.
  [[nodiscard]] std::vector<ports::WatchReport> reports() const;

 private:
  std::optional<history::Watchers> watchers_;
  std::optional<history::Retention> retention_;
};

}  // namespace waybill::app
