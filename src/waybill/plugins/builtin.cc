#include "waybill/plugins/builtin.h"

#include <memory>
#include <utility>

#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/kubernetes_executor.h"
#include "waybill/plugins/kubernetes_job/job_kind.h"
#include "waybill/plugins/ping/ping.h"
#include "waybill/plugins/ping/ping_config.h"
#include "waybill/plugins/shell/shell.h"
#include "waybill/plugins/spark_operator/spark_kind.h"

namespace waybill::plugins {
namespace {

void add_kubernetes(const ExecutorEnvironment& environment, ports::Executors& executors) {
  auto clusters =
      std::make_shared<ClusterConnections>(ClusterConnections::Parts{.io = environment.io,
                                                                     .pool = environment.pool,
                                                                     .clock = environment.clock,
                                                                     .watches = *environment.watches,
                                                                     .nudge = environment.nudge});
  const auto add = [&](std::unique_ptr<const RunKind> kind) {
    const std::string name = kind->traits().plugin;
    KubernetesExecutor::Parts parts{.io = environment.io,
                                    .pool = environment.pool,
                                    .clock = environment.clock,
                                    .clusters = clusters,
                                    .nudge = environment.nudge};
    executors[name] =
        std::make_unique<KubernetesExecutor>(std::move(parts), environment.kubernetes, std::move(kind));
  };
  add(std::make_unique<JobKind>());
  add(std::make_unique<SparkKind>(SparkKeys::kOwn));
  add(std::make_unique<SparkKind>(SparkKeys::kSparkEks));
}

}  // namespace

ports::Executors make_executors(ExecutorEnvironment environment) {
  ports::Executors executors;
  executors["ping"] = std::make_unique<Ping>(environment.io, environment.clock, environment.nudge);
  executors["shell"] = std::make_unique<Shell>(environment.io, environment.pool, environment.nudge,
                                               std::move(environment.shell));
  if (environment.watches != nullptr) add_kubernetes(environment, executors);
  return executors;
}

std::map<std::string, ports::ExecutorTraits> builtin_traits() {
  return {{"kubernetes_job", kubernetes_job_traits()},
          {"ping", ping_traits()},
          {"shell", shell_traits()},
          {"spark_operator", spark_traits(SparkKeys::kOwn)},
          {"sparkeks", spark_traits(SparkKeys::kSparkEks)}};
}

}  // namespace waybill::plugins
