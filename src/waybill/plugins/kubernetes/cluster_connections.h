#pragma once

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "waybill/base/pool.h"
#include "waybill/domain/catalog.h"
#include "waybill/kube/api.h"
#include "waybill/kube/kubeconfig.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/plugins/kubernetes/object_watch.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// How a cluster's context says to reach it: its member `kubernetes`.
struct ClusterAccess {
  kube::AccessChoice choice;
  std::string name_space;  // "" : the one of the kubeconfig's context, or of the pod
};
// Null and absent: $KUBECONFIG or ~/.kube/config as they are. InvalidArgument names the member.
[[nodiscard]] absl::StatusOr<ClusterAccess> cluster_access(const domain::Cluster& cluster);
// The same for one value of the key `kubernetes`, for its declaration.
[[nodiscard]] absl::Status check_kubernetes(const boost::json::value& value);

// One API server as executors use it: a client, and the watches of their objects.
struct ClusterConnection {
  std::string watch_name;  // the cluster's id; with "#2" … where the same id has come to mean another server
  std::string server;
  std::string name_space;
  std::unique_ptr<kube::Api> api;
  std::map<kube::WatchKey, std::unique_ptr<ObjectWatch>> watches;
};

// The clusters that jobs run on, each connected to once. io thread only.
class ClusterConnections {
 public:
  // All outlive every task of `io`; `watches` outlives this.
  struct Parts {
    boost::asio::any_io_executor io;
    Pool& pool;
    ports::Clock& clock;
    kube::SharedWatches& watches;
    ports::Nudge nudge;
  };
  explicit ClusterConnections(Parts parts) : parts_(std::move(parts)) {}

  // Reads the kubeconfig the first time, on the pool. InvalidArgument, NotFound: of the access itself.
  Task<absl::StatusOr<std::shared_ptr<ClusterConnection>>> connect(
      std::shared_ptr<const domain::Cluster> cluster);

  // The watch of this gateway's objects of a kind in one namespace; begins with the first call. `keep` says
  // what of an object is kept in memory.
  ObjectWatch& watch(ClusterConnection& connection, const kube::Resource& resource,
                     const std::string& name_space, const ObjectWatch::Keep& keep);

 private:
  Parts parts_;
  // By cluster and what its context says: a reload that changes the access makes a new one.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<ClusterConnection>> connections_;
};

}  // namespace waybill::plugins
