#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/kubernetes_options.h"
#include "waybill/plugins/kubernetes/pod_log.h"
#include "waybill/plugins/kubernetes/pod_sight.h"
#include "waybill/plugins/kubernetes/run_kind.h"
#include "waybill/plugins/kubernetes/run_log.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// Runs a job as an object on a Kubernetes cluster, of whatever kind. All objects of a namespace are seen
// through one shared watch; logs are streamed into the job's directory. All calls on the io thread.
// kubernetes_executor.cc: the calls; run_sight.cc: what is the case with a run.
class KubernetesExecutor : public ports::Executor {
 public:
  // All outlive every task of `io`.
  struct Parts {
    boost::asio::any_io_executor io;
    Pool& pool;
    ports::Clock& clock;
    std::shared_ptr<ClusterConnections> clusters;
    ports::Nudge nudge;
  };
  KubernetesExecutor(Parts parts, KubernetesOptions options, std::unique_ptr<const RunKind> kind);
  ~KubernetesExecutor() override;

  [[nodiscard]] const ports::ExecutorTraits& traits() const override { return traits_; }
  [[nodiscard]] absl::Status validate(const ports::JobRequest& request) const override;
  Task<absl::StatusOr<ports::StartResult>> start(std::shared_ptr<const ports::JobRequest> request) override;
  Task<absl::StatusOr<ports::Observation>> observe(std::shared_ptr<const ports::JobRequest> request,
                                                   domain::ExecutorHandle handle) override;
  Task<absl::Status> cancel(std::shared_ptr<const ports::JobRequest> request,
                            domain::ExecutorHandle handle) override;
  Task<absl::Status> cleanup(std::shared_ptr<const ports::JobRequest> request,
                             domain::ExecutorHandle handle) override;
  Task<absl::Status> check(std::shared_ptr<const domain::Cluster> cluster) override;
  void set_limits(const ports::RunLimits& limits) override { options_.limits = limits; }

 private:
  // A run of which something has to be remembered between two looks; all of it can be found out again.
  struct Run {
    JobId job;
    std::string name_space, name, uid;
    std::shared_ptr<ClusterConnection> connection;
    ObjectWatch* watch = nullptr;  // of the connection
    std::shared_ptr<RunLog> archive;
    std::shared_ptr<PodLog> log;
    std::string log_of;  // the submission whose driver it follows
    absl::Time gone_since = absl::InfiniteFuture();
    absl::Time over_since = absl::InfiniteFuture();
    absl::Time trouble_since = absl::InfiniteFuture();
    absl::Time look_at_pod = absl::InfinitePast();
    absl::Duration pod_interval = absl::Seconds(2);
    std::string noted;
    std::string pod;  // that was found, where the object names none
    bool has_helper_logs = false;
    std::shared_ptr<bool> nudge_waits = std::make_shared<bool>(false);
    std::optional<ports::Observation> end;
  };
  using RunPtr = std::shared_ptr<Run>;
  using RequestPtr = std::shared_ptr<const ports::JobRequest>;

  Task<absl::StatusOr<boost::json::object>> create(std::shared_ptr<ClusterConnection> connection,
                                                   RequestPtr request, std::string name_space,
                                                   boost::json::object object);
  Task<absl::Status> create_secret(std::shared_ptr<ClusterConnection> connection, std::string name_space,
                                   boost::json::object owner, boost::json::object data);
  Task<absl::StatusOr<RunPtr>> run_of(RequestPtr request, domain::ExecutorHandle handle);
  // Also OK when it is gone, or when its name is another's by now.
  Task<absl::Status> remove(RunPtr run);
  ObjectWatch& watch_of(ClusterConnection& connection, const std::string& name_space);

  // run_sight.cc
  Task<absl::Status> refresh(RunPtr run);
  Task<absl::StatusOr<ports::Observation>> see(RequestPtr request, RunPtr run);
  Task<absl::Status> find_unnamed_pod(RunPtr run);
  Task<ports::Observation> see_pending(RequestPtr request, RunPtr run, RunSight sight,
                                       ports::Observation now);
  Task<ports::Observation> see_gone(RunPtr run, RunSight sight, ports::Observation now);
  Task<ports::Observation> see_over(RequestPtr request, RunPtr run, RunSight sight, ports::Observation now);
  Task<absl::Status> conclude(RequestPtr request, RunPtr run, RunSight sight, ports::Observation& now);
  Task<void> keep_helper_logs(RunPtr run);
  Task<void> note(RunPtr run, std::string text);
  // Streams the pod's log unless it is being streamed, or too many are.
  void follow_log(const RunPtr& run, const RunSight& sight);
  [[nodiscard]] int logs_followed() const;
  void nudge_in(const RunPtr& run, absl::Duration wait);

  Parts parts_;
  KubernetesOptions options_;
  std::unique_ptr<const RunKind> kind_;
  const ports::ExecutorTraits traits_;
  std::map<domain::ExecutorHandle, RunPtr> runs_;
};

// "spark_operator <namespace>/<name> <uid>"
struct RunHandle {
  std::string name_space, name, uid;
};
[[nodiscard]] domain::ExecutorHandle to_handle(const std::string& plugin, const RunHandle& run);
[[nodiscard]] std::optional<RunHandle> parse_run_handle(const std::string& plugin,
                                                        const domain::ExecutorHandle& handle);

}  // namespace waybill::plugins
