#include "waybill/plugins/kubernetes/cluster_connections.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/environment.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/kube/client.h"
#include "waybill/plugins/kubernetes/run_kind.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

absl::StatusOr<ClusterAccess> read_access(const json::value& value) {
  ClusterAccess access;
  const json::object* members = value.if_object();
  if (members == nullptr) return invalid("it is not a map of in_cluster, kubeconfig, context and namespace");
  for (const auto& member : *members) {
    const std::string name(member.key());
    const bool is_flag = name == "in_cluster";
    std::string* text = name == "kubeconfig"  ? &access.choice.kubeconfig
                        : name == "context"   ? &access.choice.context
                        : name == "namespace" ? &access.name_space
                                              : nullptr;
    if (!is_flag && text == nullptr)
      return invalid(
          fmt::format("\"{}\" is no member of it: in_cluster, kubeconfig, context and namespace are", name));
    if (member.value().is_null()) continue;
    if (is_flag ? !member.value().is_bool() : !member.value().is_string())
      return invalid(fmt::format("{}: it must be {}", name, is_flag ? "true or false" : "a text"));
    if (is_flag) access.choice.in_cluster = member.value().get_bool();
    if (text != nullptr) *text = std::string(member.value().get_string());
  }
  return access;
}

}  // namespace

absl::StatusOr<ClusterAccess> cluster_access(const domain::Cluster& cluster) {
  const json::value* value = cluster.context ? cluster.context->if_contains("kubernetes") : nullptr;
  if (value == nullptr || value->is_null()) return ClusterAccess();
  absl::StatusOr<ClusterAccess> access = read_access(*value);
  if (!access.ok()) return prefixed(access.status(), "context.kubernetes");
  return access;
}

absl::Status check_kubernetes(const json::value& value) { return read_access(value).status(); }

Task<absl::StatusOr<std::shared_ptr<ClusterConnection>>> ClusterConnections::connect(
    std::shared_ptr<const domain::Cluster> cluster) {
  WB_CO_ASSIGN(const ClusterAccess wanted, cluster_access(*cluster));
  const json::value* said = cluster->context ? cluster->context->if_contains("kubernetes") : nullptr;
  const std::pair<std::string, std::string> key(cluster->id.str(),
                                                said == nullptr ? "" : canonical_json(*said));
  if (const auto known = connections_.find(key); known != connections_.end()) co_return known->second;
  auto read = [choice = wanted.choice] { return kube::find_access(choice, process_environment()); };
  absl::StatusOr<kube::Access> access = co_await on(parts_.pool, std::move(read));
  if (!access.ok()) co_return prefixed(access.status(), fmt::format("cluster {}", cluster->id.str()));
  // Somebody else may have been faster.
  if (const auto known = connections_.find(key); known != connections_.end()) co_return known->second;
  auto made = std::make_shared<ClusterConnection>();
  const auto same_id = std::count_if(connections_.begin(), connections_.end(),
                                     [&](const auto& other) { return other.first.first == key.first; });
  made->watch_name = same_id == 0 ? key.first : fmt::format("{}#{}", key.first, same_id + 1);
  made->server = access->server;
  made->name_space = wanted.name_space.empty() ? access->name_space : wanted.name_space;
  made->api = std::make_unique<kube::Client>(parts_.io, parts_.clock, *std::move(access));
  connections_[key] = made;
  co_return made;
}

ObjectWatch& ClusterConnections::watch(ClusterConnection& connection, const kube::Resource& resource,
                                       const std::string& name_space, const ObjectWatch::Keep& keep) {
  const kube::WatchKey key{connection.watch_name, resource, name_space, kJobLabel};
  std::unique_ptr<ObjectWatch>& watch = connection.watches[key];
  if (watch == nullptr)
    watch =
        std::make_unique<ObjectWatch>(parts_.watches, key, *connection.api, parts_.clock, keep, parts_.nudge);
  return *watch;
}

}  // namespace waybill::plugins
