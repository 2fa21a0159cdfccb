#pragma once

// The API of one instance, taken together. Internal to api/rest.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "waybill/api/rest/auth.h"
#include "waybill/api/rest/call.h"
#include "waybill/api/rest/errors.h"
#include "waybill/api/rest/metrics.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/api/rest/result_cache.h"
#include "waybill/api/rest/router.h"

namespace waybill::rest {

class EventHub;
class TokenVerifier;

struct Api : std::enable_shared_from_this<Api> {
  Api(boost::asio::any_io_executor executor, Services the_services, RestOptions the_options);
  ~Api();

  boost::asio::any_io_executor io;
  Services services;
  RestOptions options;
  Router base;     // under /api/v1
  Router outside;  // beside it
  std::shared_ptr<const Authenticator> auth;
  std::shared_ptr<TokenVerifier> tokens;  // OIDC only
  std::shared_ptr<EventHub> hub;
  Metrics metrics;
  ResultCache small_results;
  const HttpServer* server = nullptr;
  int audits = 0;                         // rows on their way to the audit log
  boost::asio::steady_timer audits_done;  // cancelled when the last of them has arrived

  // Answers a request, whatever it is.
  static Task<Reply> answer(ApiPtr self, std::shared_ptr<Request> request);
};

// Who makes the request; name "" : nobody says so. The first is for modes without tokens, which need no
// waiting.
[[nodiscard]] absl::StatusOr<domain::Caller> known_caller(const Api& api, const Request& request);
[[nodiscard]] Task<absl::StatusOr<domain::Caller>> identify(ApiPtr api, std::shared_ptr<Request> request);

// 401 unless somebody asks.
[[nodiscard]] absl::Status require_caller(const Call& call);
[[nodiscard]] absl::Status require_admin(const Call& call);

// NotFound "unknown job_id" also for a job that this caller may not see.
[[nodiscard]] Task<absl::StatusOr<domain::Job>> visible_job(ApiPtr api, CallPtr call, JobId id);
// Whether the caller sees only jobs of their own.
[[nodiscard]] bool is_scoped(const Api& api, const Call& call);

// Whether the caller may look through the run history: runs that no job of the gateway started belong to
// nobody, so with auth.read_scoped only admins may.
[[nodiscard]] absl::Status may_read_history(const Api& api, const Call& call);

// 304 if the client has it already, else the body with its ETag.
[[nodiscard]] Reply with_etag(const Call& call, std::string body);

void add_submit_routes(Api& api);
void add_job_routes(Api& api);
void add_job_list_routes(Api& api);
void add_job_change_routes(Api& api);
void add_log_routes(Api& api);
void add_catalog_routes(Api& api);
void add_health_routes(Api& api);
void add_routing_routes(Api& api);
void add_attribute_routes(Api& api);
void add_stats_routes(Api& api);
void add_record_routes(Api& api);
void add_event_routes(Api& api);
void add_admin_routes(Api& api);
void add_system_routes(Api& api);
void add_probe_routes(Api& api);  // what a server without the role api serves, too

}  // namespace waybill::rest
