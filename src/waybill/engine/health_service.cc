#include "waybill/engine/health_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/domain/matching.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/health_state.h"
#include "waybill/engine/plans.h"

namespace waybill::engine {
namespace {

using PartsPtr = std::shared_ptr<EngineParts>;
using domain::EntryStatus;

// The plugin of the first active command that may run on the cluster; "" if there is none. A command without
// cluster tags runs anywhere and so says nothing about one cluster: it only counts where the config itself
// has it, and last.
std::string prober_of(const domain::Catalog& catalog, const domain::Cluster& cluster) {
  if (cluster.status != EntryStatus::kActive) return "";
  const std::vector<std::string> tags =
      domain::with_system_tags(cluster.id.str(), cluster.name, cluster.version, cluster.tags);
  std::string anywhere;
  for (const auto& [id, command] : catalog.commands) {
    if (command->status != EntryStatus::kActive) continue;
    if (command->cluster_tags.empty()) {
      if (anywhere.empty() && command->origin != domain::EntryOrigin::kApi) anywhere = command->plugin;
    } else if (std::includes(tags.begin(), tags.end(), command->cluster_tags.begin(),
                             command->cluster_tags.end())) {
      return command->plugin;
    }
  }
  return anywhere;
}

Task<HealthCheck> probe(PartsPtr parts, std::shared_ptr<const domain::Cluster> cluster, std::string plugin) {
  HealthCheck check;
  check.cluster_id = cluster->id;
  check.cluster_name = cluster->name;
  check.plugin = plugin;
  check.status = "unchecked";
  ports::Executor* executor = parts->executor(plugin);
  if (executor == nullptr) co_return check;
  const absl::Time began = parts->now();
  auto resolved = co_await parts->plans->resolved_cluster(cluster);
  absl::Status answer = resolved.status();
  if (resolved.ok()) {
    auto call = executor->check(*resolved);
    answer =
        co_await with_deadline(parts->io, parts->ports.clock, parts->options.health_timeout, std::move(call));
  }
  check.latency = parts->now() - began;
  if (absl::IsUnimplemented(answer)) co_return check;
  check.status = answer.ok() ? "ok" : "error";
  if (!answer.ok()) check.error = message(answer);
  if (!parts->halted) parts->health->healthy[cluster->id] = answer.ok();
  co_return check;
}

}  // namespace

HealthService::HealthService(std::shared_ptr<EngineParts> parts) : parts_(std::move(parts)) {}

Task<std::vector<HealthCheck>> HealthService::check_all() {
  const PartsPtr parts = parts_;
  const std::shared_ptr<const domain::Catalog> catalog = parts->catalog->current;
  std::vector<Task<HealthCheck>> probes;
  for (const auto& [id, cluster] : catalog->clusters) {
    if (!cluster->health_check) continue;
    std::string plugin = prober_of(*catalog, *cluster);
    if (!plugin.empty()) probes.push_back(probe(parts, cluster, std::move(plugin)));
  }
  co_return co_await gather(parts->io, std::move(probes));
}

Task<absl::StatusOr<std::vector<HealthCheck>>> HealthService::check(ClusterId id) {
  const PartsPtr parts = parts_;
  const std::shared_ptr<const domain::Catalog> catalog = parts->catalog->current;
  const auto found = catalog->clusters.find(id);
  if (found == catalog->clusters.end()) co_return not_found("unknown cluster_id: " + id.str());
  if (!found->second->health_check) {
    co_return conflict("health check is not enabled for cluster " + id.str());
  }
  std::string plugin = prober_of(*catalog, *found->second);
  if (plugin.empty()) co_return conflict("no active command matched cluster " + id.str());
  HealthCheck check = co_await probe(parts, found->second, std::move(plugin));
  std::vector<HealthCheck> checks;
  checks.push_back(std::move(check));
  co_return checks;
}

bool HealthService::healthy(const ClusterId& id) const {
  const auto known = parts_->health->healthy.find(id);
  return known == parts_->health->healthy.end() || known->second;
}

Task<void> run_probes(std::shared_ptr<EngineParts> parts) {
  HealthService service(parts);
  while (!parts->stopping && !parts->halted) {
    auto checks = co_await service.check_all();
    if (parts->stopping || parts->halted) co_return;
    for (const HealthCheck& check : checks) {
      if (check.status != "error") continue;
      parts->ports.log.warn("a cluster is unhealthy",
                            {{"cluster", check.cluster_id.str()}, {"error", check.error}});
    }
    co_await parts->health->wake.wait(parts->ports.clock, parts->options.health_interval);
  }
}

}  // namespace waybill::engine
