#include <boost/json.hpp>
#include <random>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/bind.h"
#include "waybill/api/rest/json_text.h"
#include "waybill/api/rest/near_misses.h"
#include "waybill/base/status.h"

// POST /route: the dry run.
namespace waybill::rest {
namespace {

void write_pair(const domain::Pair& pair, JsonText& out) {
  out.begin_object();
  out.some("command_id", pair.command->id.str());
  out.some("command_name", pair.command->name);
  out.some("cluster_id", pair.cluster->id.str());
  out.some("cluster_name", pair.cluster->name);
  out.some("plugin", pair.command->plugin);
  out.some_flag("is_sync", pair.command->is_sync);
  out.key("weight");
  out.real(pair.cluster->weight);
  out.key("healthy");
  out.flag(pair.healthy);
  out.end_object();
}

void write_misses(const std::vector<domain::NearMiss>& misses, JsonText& out) {
  out.begin_array();
  for (const domain::NearMiss& miss : misses) {
    out.begin_object();
    out.some("command", miss.command);
    out.some("cluster", miss.cluster);
    out.words("missing", miss.missing);
    out.end_object();
  }
  out.end_array();
}

Task<absl::StatusOr<Reply>> dry_run(ApiPtr api, CallPtr call) {
  domain::Criteria command_criteria;
  domain::Criteria cluster_criteria;
  Members members;
  members.words("command_criteria", command_criteria);
  members.words("cluster_criteria", cluster_criteria);
  WB_CO_TRY(members.read(call->body.get_object(), &call->query));
  const domain::Explanation explanation = explained(*api, command_criteria, cluster_criteria);
  JsonText out;
  out.begin_object();
  out.key("pairs");
  out.begin_array();
  for (const domain::Pair& pair : explanation.pairs) write_pair(pair, out);
  out.end_array();
  if (explanation.chosen) {
    out.key("chosen");
    write_pair(*explanation.chosen, out);
    const absl::Status allowed = domain::may_run(*explanation.chosen->command, call->caller.name);
    out.key("allowed");
    out.flag(allowed.ok());
  }
  out.some("why", explanation.why);
  out.key("near_misses");
  write_misses(explanation.near_misses, out);
  out.end_object();
  co_return json_reply(out.take());
}

}  // namespace

domain::Explanation explained(const Api& api, const domain::Criteria& command_criteria,
                              const domain::Criteria& cluster_criteria) {
  const auto catalog = api.services.gateway.catalog();
  std::minstd_rand random(std::random_device{}());
  return domain::explain_route(
      *catalog, command_criteria, cluster_criteria,
      [&](const ClusterId& id) { return api.services.gateway.healthy(id); },
      [&] { return std::generate_canonical<double, 53>(random); });
}

std::string near_misses_json(const Api& api, const domain::Criteria& command_criteria,
                             const domain::Criteria& cluster_criteria) {
  JsonText out;
  write_misses(explained(api, command_criteria, cluster_criteria).near_misses, out);
  return out.take();
}

void add_routing_routes(Api& api) {
  api.base.add({Method::kPost, "/route", Needs::kCaller, Audit::kDenied, dry_run});
}

}  // namespace waybill::rest
