#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/base/log.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/history/decision.h"
#include "waybill/history/recorder.h"
#include "waybill/kube/api.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_store.h"
#include "waybill/ports/watch_report.h"

namespace waybill::history {

[[nodiscard]] kube::Resource spark_applications();  // sparkoperator.k8s.io/v1beta2

// What is recorded of one cluster.
struct WatchedCluster {
  std::string cluster;                  // the config's id
  std::vector<std::string> namespaces;  // empty: all
  std::string selector;                 // "" : every SparkApplication
  bool mask_manifests = true;
  std::shared_ptr<kube::Api> api;
};
// One scope for each namespace, or one for all.
[[nodiscard]] std::vector<domain::WatchScope> scopes_of(const WatchedCluster& cluster);

struct WatchersOptions {
  InstanceId instance;
  std::vector<WatchedCluster> clusters;
  std::size_t manifest_bytes = 1'048'576;
  absl::Duration close_unwatched_after = absl::Hours(24);
  absl::Duration lease = absl::Seconds(45);
  absl::Duration renew = absl::Seconds(15);
  absl::Duration upkeep = absl::Minutes(1);
};

struct WatchersPorts {
  boost::asio::any_io_executor io;
  ports::RecordStore& records;
  ports::Clock& clock;
  Log& log;
  const Redactor& redactor;
  kube::SharedWatches& watches;
  RenderAttributes render = {};
};

// Records what SparkApplications do on the clusters of the config, as long as this instance holds a scope's
// lease; once a minute also what time alone does to records. io thread only.
class Watchers {
 public:
  Watchers(WatchersPorts ports, WatchersOptions options);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  void start();
  // Commits what has come and gives the leases back.
  Task<void> stop();

  [[nodiscard]] std::vector<ports::WatchReport> reports() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Records what is there now, once: `history backfill`. Unavailable, PermissionDenied: the cluster did not
// answer with a complete list, and what came is recorded all the same.
[[nodiscard]] Task<absl::Status> backfill(WatchersPorts ports, WatchedCluster cluster,
                                          domain::WatchScope scope, std::size_t manifest_bytes);

}  // namespace waybill::history
