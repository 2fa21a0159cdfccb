#include <algorithm>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/json_text.h"
#include "waybill/base/status.h"

// Probes of clusters.
namespace waybill::rest {
namespace {

// {"healthy","checks":[…]}; 503 when one fails.
Reply checks_reply(const std::vector<engine::HealthCheck>& checks) {
  const bool healthy =
      std::none_of(checks.begin(), checks.end(), [](const auto& check) { return check.status == "error"; });
  JsonText out;
  out.begin_object();
  out.key("healthy");
  out.flag(healthy);
  out.key("checks");
  out.begin_array();
  for (const engine::HealthCheck& check : checks) {
    out.begin_object();
    out.some("cluster_id", check.cluster_id.str());
    out.some("cluster_name", check.cluster_name);
    out.some("plugin", check.plugin);
    out.some("status", check.status);
    out.key("latency_ms");
    out.number(absl::ToInt64Milliseconds(check.latency));
    out.some("error", check.error);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  Reply reply = json_reply(out.take(), healthy ? 200 : 503);
  reply.headers.add("Cache-Control", "no-store");
  return reply;
}

Task<absl::StatusOr<Reply>> check_clusters(ApiPtr api, CallPtr) {
  const std::vector<engine::HealthCheck> checks = co_await api->services.gateway.check_all();
  co_return checks_reply(checks);
}

Task<absl::StatusOr<Reply>> check_cluster(ApiPtr api, CallPtr call) {
  absl::StatusOr<std::vector<engine::HealthCheck>> checks =
      co_await api->services.gateway.check(ClusterId(call->params.at(0)));
  WB_CO_TRY(checks);
  co_return checks_reply(*checks);
}

}  // namespace

void add_health_routes(Api& api) {
  api.base.add({Method::kGet, "/clusters/health", Needs::kNothing, Audit::kDenied, check_clusters});
  api.base.add({Method::kGet, "/cluster/{id}/health", Needs::kNothing, Audit::kDenied, check_cluster});
}

}  // namespace waybill::rest
