#include "waybill/app/watching.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "waybill/base/environment.h"
#include "waybill/base/status.h"
#include "waybill/kube/client.h"
#include "waybill/kube/kubeconfig.h"

namespace waybill::app {

absl::StatusOr<kube::Access> find_access(const config::KubernetesAccess& access) {
  return kube::find_access(
      {.in_cluster = access.in_cluster, .kubeconfig = access.kubeconfig, .context = access.context},
      process_environment());
}

absl::StatusOr<std::vector<history::WatchedCluster>> watched_clusters(boost::asio::any_io_executor io,
                                                                      ports::Clock& clock,
                                                                      const config::Config& config) {
  std::vector<history::WatchedCluster> clusters;
  std::map<std::string, std::string> servers;  // whose it is
  for (const config::HistorySource& source : config.history) {
    const std::string& cluster = source.cluster.str();
    const auto access = find_access(source.kubernetes);
    if (!access.ok()) return prefixed(access.status(), fmt::format("history of cluster {}", cluster));
    const auto [other, is_new] = servers.emplace(access->server, cluster);
    if (!is_new) {
      return invalid(
          fmt::format("history: the clusters {} and {} reach the same API server {}, so every run would be "
                      "recorded twice: leave one of them, with the namespaces of both",
                      other->second, cluster, access->server));
    }
    clusters.push_back({.cluster = cluster,
                        .namespaces = source.namespaces,
                        .selector = source.label_selector,
                        .mask_manifests = source.mask_manifests,
                        .api = std::make_shared<kube::Client>(io, clock, *access)});
  }
  return clusters;
}

Watching::Watching(WatchingParts parts, WatchingOptions options) {
  if (options.keep > absl::ZeroDuration()) {
    retention_.emplace(parts.io, parts.records, parts.clock, parts.log, options.keep);
  }
  if (options.clusters.empty()) return;
  watchers_.emplace(history::WatchersPorts{.io = parts.io,
                                           .records = parts.records,
                                           .clock = parts.clock,
                                           .log = parts.log,
                                           .redactor = parts.redactor,
                                           .watches = parts.watches,
                                           .render = std::move(parts.render)},
                    history::WatchersOptions{.instance = std::move(options.instance),
                                             .clusters = std::move(options.clusters),
                                             .manifest_bytes = options.manifest_bytes,
                                             .close_unwatched_after = options.close_unwatched_after});
}

void Watching::start() {
  if (watchers_) watchers_->start();
  if (retention_) retention_->start();
}

std::vector<ports::WatchReport> Watching::reports() const {
  if (!watchers_) return {};
  return watchers_->reports();
}

Task<void> Watching::stop() {
  if (watchers_) co_await watchers_->stop();
  if (retention_) co_await retention_->stop();
}

}  // namespace waybill::app
