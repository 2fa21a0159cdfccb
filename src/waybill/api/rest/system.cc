#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/json_text.h"
#include "waybill/api/rest/openapi.h"
#include "waybill/api/rest/watch_metrics.h"
#include "waybill/base/status.h"

// What lies beside the API: probes, metrics, the document, the web UI.
namespace waybill::rest {
namespace {

std::vector<ports::WatchReport> watches_of(const Api& api) {
  if (!api.services.watches) return {};
  return api.services.watches();
}

Task<absl::StatusOr<Reply>> healthz(ApiPtr api, CallPtr) {
  JsonText out;
  out.begin_object();
  out.some("status", "ok");
  out.some("version", api->options.version);
  out.end_object();
  co_return json_reply(out.take());
}

Task<absl::StatusOr<Reply>> readyz(ApiPtr api, CallPtr) {
  WB_CO_TRY(api->services.gateway.ready());
  // An instance that serves calls does so whatever its clusters do; one that only watches is of no use then.
  if (!api->options.serves_api) {
    WB_CO_TRY(watches_ready(watches_of(*api)));
  }
  co_return json_reply(R"({"status":"ready"})");
}

void write_job_gauges(const absl::StatusOr<std::map<domain::JobStatus, std::int64_t>>& live,
                      std::string& out) {
  write_gauge("database_up", "Whether the last look at the database succeeded.", live.ok() ? 1 : 0, out);
  if (!live.ok()) return;
  out += "# HELP waybill_jobs Jobs that are not over, by status.\n# TYPE waybill_jobs gauge\n";
  for (const domain::JobStatus status : {domain::JobStatus::kNew, domain::JobStatus::kAccepted,
                                         domain::JobStatus::kRunning, domain::JobStatus::kCanceling}) {
    const auto found = live->find(status);
    out += "waybill_jobs{status=\"";
    out += to_string(status);
    out += "\"} " + std::to_string(found == live->end() ? 0 : found->second) + '\n';
  }
}

Task<absl::StatusOr<Reply>> metrics(ApiPtr api, CallPtr) {
  const auto live = co_await api->services.stats.live_jobs();
  Reply reply;
  reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  api->metrics.write(reply.body);
  if (api->server != nullptr) {
    write_gauge("http_connections", "Open connections.", api->server->connections(), reply.body);
    write_gauge("http_in_flight", "Requests being answered.", api->server->in_flight(), reply.body);
  }
  write_gauge("ready", "Whether this instance takes calls.", api->services.gateway.ready().ok() ? 1 : 0,
              reply.body);
  write_gauge("instance_jobs", "Jobs this instance follows.", api->services.gateway.running(), reply.body);
  write_job_gauges(live, reply.body);
  write_watches(watches_of(*api), reply.body);
  co_return reply;
}

Task<absl::StatusOr<Reply>> document(ApiPtr, CallPtr) {
  Reply reply;
  reply.fixed_body = openapi_document();
  co_return reply;
}

}  // namespace

void add_probe_routes(Api& api) {
  Router& outside = api.outside;
  outside.add({Method::kGet, "/healthz", Needs::kNothing, Audit::kDenied, healthz});
  outside.add({Method::kGet, "/readyz", Needs::kNothing, Audit::kDenied, readyz});
  outside.add({Method::kGet, "/metrics", Needs::kNothing, Audit::kDenied, metrics});
}

void add_system_routes(Api& api) {
  Router& outside = api.outside;
  outside.add({Method::kGet, "/openapi.json", Needs::kNothing, Audit::kDenied, document});
}

}  // namespace waybill::rest
