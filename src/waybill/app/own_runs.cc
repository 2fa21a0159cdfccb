#include "waybill/app/own_runs.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "waybill/app/watching.h"
#include "waybill/base/environment.h"
#include "waybill/base/status.h"
#include "waybill/domain/matching.h"
#include "waybill/history/selector.h"
#include "waybill/kube/client.h"
#include "waybill/kube/kubeconfig.h"
#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/run_kind.h"

namespace waybill::app {
namespace {

bool is_spark(const domain::Command& command) {
  return command.plugin == "spark_operator" || command.plugin == "sparkeks";
}

std::string namespace_of(const domain::Command& command) {
  const boost::json::value* set = command.context && command.plugin == "sparkeks"
                                      ? command.context->if_contains("kube_namespace")
                                      : nullptr;
  return set == nullptr || !set->is_string() ? "" : std::string(set->get_string());
}

// Whether an entry of `history` sees what this gateway starts there.
bool sees(const config::HistorySource& source, const std::string& name_space) {
  const bool is_seen =
      source.namespaces.empty() ||
      std::find(source.namespaces.begin(), source.namespaces.end(), name_space) != source.namespaces.end();
  const auto selector = history::LabelSelector::parse(source.label_selector);
  return is_seen && selector.ok() &&
         selector->matches({{plugins::kJobLabel, "any"}, {plugins::kRecordLabel, "any"}});
}

class OwnRuns {
 public:
  OwnRuns(const config::Config& config, Log& log) : config_(config), log_(log) {
    for (const config::HistorySource& source : config.history) {
      const auto access = find_access(source.kubernetes);
      if (access.ok()) sources_[access->server] = &source;
    }
  }

  // By the cluster that records are told under and the namespace.
  using Wanted = std::map<std::pair<std::string, std::string>, kube::Access>;
  [[nodiscard]] Wanted find() const {
    Wanted wanted;
    for (const auto& [id, cluster] : config_.base.clusters) {
      for (const auto& [command_id, command] : config_.base.commands) {
        if (is_spark(*command) && domain::may_meet(*command, *cluster)) add(*command, *cluster, wanted);
      }
    }
    return wanted;
  }

 private:
  void add(const domain::Command& command, const domain::Cluster& cluster, Wanted& wanted) const {
    const auto how = plugins::cluster_access(cluster);
    const auto access = how.ok() ? kube::find_access(how->choice, process_environment())
                                 : absl::StatusOr<kube::Access>(how.status());
    if (!access.ok()) {
      log_.warn("runs on a cluster are not recorded: it can't be reached",
                {{"cluster", cluster.id.str()}, {"error", message(access.status())}});
      return;
    }
    std::string name_space = namespace_of(command);
    if (name_space.empty()) name_space = how->name_space.empty() ? access->name_space : how->name_space;
    const auto source = sources_.find(access->server);
    const bool is_seen = source != sources_.end() && sees(*source->second, name_space);
    if (is_seen) return;
    // One server is one cluster, whatever the entries that reach it are called.
    const std::string name = source == sources_.end() ? cluster.id.str() : source->second->cluster.str();
    wanted.try_emplace({name, name_space}, *access);
  }

  const config::Config& config_;
  Log& log_;
  std::map<std::string, const config::HistorySource*> sources_;  // by API server
};

}  // namespace

void add_own_runs(boost::asio::any_io_executor io, ports::Clock& clock, const config::Config& config,
                  Log& log, std::vector<history::WatchedCluster>& clusters) {
  std::set<std::pair<std::string, std::string>> seen;  // server and namespace
  for (const auto& [where, access] : OwnRuns(config, log).find()) {
    if (!seen.emplace(access.server, where.second).second) continue;
    history::WatchedCluster watched;
    watched.cluster = where.first;
    watched.namespaces = {where.second};
    watched.selector = plugins::kJobLabel;
    watched.api = std::make_shared<kube::Client>(io, clock, access);
    clusters.push_back(std::move(watched));
  }
}

}  // namespace waybill::app
