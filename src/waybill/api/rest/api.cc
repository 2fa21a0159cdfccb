#include "waybill/api/rest/api.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <exception>
#include <utility>

#include "waybill/api/rest/compress.h"
#include "waybill/api/rest/event_hub.h"
#include "waybill/api/rest/oidc.h"
#include "waybill/api/rest/ui.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

constexpr std::size_t kCompressFrom = 1024;
constexpr std::size_t kCompressAside = 65536;  // larger bodies are compressed on the pool
constexpr int kMostAudits = 256;               // rows on their way; more: a flood, counted in the log only
constexpr std::size_t kEnvelope = 8;           // levels of a body around a context

bool changes(Method method) {
  return method != Method::kGet && method != Method::kHead && method != Method::kOptions;
}

// What a request turned out to be.
struct Resolved {
  const Route* route = nullptr;
  std::shared_ptr<Call> call;
  std::optional<Reply> reply;  // already answered
};

absl::StatusOr<boost::json::value> read_body(const Api& api, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return boost::json::object();
  JsonLimits limits;
  limits.depth = api.options.context_depth + kEnvelope;
  WB_ASSIGN(boost::json::value body, parse_json(text, limits));
  if (body.is_null()) return boost::json::object();
  if (!body.is_object()) {
    return error(absl::StatusCode::kInvalidArgument, "malformed_json", "the body is no JSON object");
  }
  return body;
}

Reply methods_of(const Router::Found& found, const Request& request) {
  if (request.method == Method::kOptions) {
    Reply reply;
    reply.status = 204;
    reply.content_type.clear();
    reply.headers.add("Allow", found.allow);
    return reply;
  }
  Reply reply =
      error_reply(error(absl::StatusCode::kInvalidArgument, "method_not_allowed",
                        fmt::format("{} is not possible here: use {}", request.method_name, found.allow)));
  reply.status = 405;
  reply.headers.add("Allow", found.allow);
  return reply;
}

absl::Status not_served_here(std::string_view path) {
  return error(
      absl::StatusCode::kNotFound, "no_api",
      fmt::format("this server has not the role api and does not serve {}: ask one whose roles have it",
                  path));
}

absl::StatusOr<Resolved> resolve(const Api& api, std::shared_ptr<Request> request) {
  Resolved resolved;
  const std::string_view target = request->target;
  const std::size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  resolved.call = std::make_shared<Call>();
  resolved.call->request = std::move(request);
  const Request& asked = *resolved.call->request;
  WB_ASSIGN(std::vector<std::string> segments, path_segments(path));
  if (question != std::string_view::npos) {
    WB_ASSIGN(resolved.call->query, Query::parse(target.substr(question + 1)));
  }
  const bool based = segments.size() >= 2 && segments[0] == "api" && segments[1] == "v1";
  if (based) segments.erase(segments.begin(), segments.begin() + 2);
  if (!based && api.options.serves_api) {
    resolved.reply = ui_reply(api, asked, segments);
    if (resolved.reply) return resolved;
  }
  Router::Found found = (based ? api.base : api.outside).find(asked.method, segments);
  if (found.route == nullptr) {
    if (found.allow.empty() && !api.options.serves_api) return not_served_here(path);
    if (found.allow.empty()) return unknown_endpoint(asked.method_name, path);
    resolved.reply = methods_of(found, asked);
    return resolved;
  }
  resolved.route = found.route;
  resolved.call->params = std::move(found.params);
  return resolved;
}

Task<void> append_audit(ApiPtr api, ports::AuditEntry entry) {
  const absl::Status written = co_await api->services.audit.append(std::move(entry));
  if (--api->audits == 0) api->audits_done.cancel();
  if (!written.ok()) api->services.log.warn("can't write to the audit log", {{"what", message(written)}});
}

// The row is written beside the answer: a client must not wait for it, a flood of denials must not fill
// memory.
void audit(const ApiPtr& api, const Route* route, const Call& call, const Reply& reply) {
  const bool denied = reply.status == 401 || reply.status == 403;
  const bool changed = route != nullptr && route->audit == Audit::kChanges;
  if (!denied && !changed) return;
  ports::AuditEntry entry;
  entry.who = call.caller.name;
  entry.what = fmt::format("{} {}", call.request->method_name,
                           std::string_view(call.request->target).substr(0, call.request->target.find('?')));
  entry.where = call.caller.address.empty() ? call.request->peer : call.caller.address;
  entry.outcome = denied               ? "denied"
                  : reply.status < 400 ? "ok"
                                       : fmt::format("refused with {}", reply.status);
  if (api->audits >= kMostAudits) {
    api->services.log.warn("the audit log is flooded: a row was left out",
                           {{"what", entry.what}, {"who", entry.who}});
    return;
  }
  ++api->audits;
  boost::asio::co_spawn(api->io, append_audit(api, std::move(entry)),
                        [api](const std::exception_ptr& problem) {
                          if (problem)
                            api->services.log.error("writing to the audit log ended by an exception");
                        });
}

// From a route to its answer: origin, JSON, caller, then the function.
Task<absl::StatusOr<Reply>> call_route(ApiPtr api, const Route* route, std::shared_ptr<Call> call) {
  const bool changing = changes(call->request->method);
  if (changing) {
    WB_CO_TRY(api->auth->same_origin(*call->request));
    WB_CO_ASSIGN(call->body, read_body(*api, call->request->body));
  }
  absl::StatusOr<domain::Caller> caller = domain::Caller();
  if (api->tokens == nullptr) {
    caller = known_caller(*api, *call->request);
  } else {
    caller = co_await identify(api, call->request);
  }
  WB_CO_TRY(caller);
  call->caller = *std::move(caller);
  if (route->needs == Needs::kCaller) {
    WB_CO_TRY(require_caller(*call));
  }
  absl::StatusOr<Reply> reply = co_await route->function(api, std::move(call));
  co_return reply;
}

Task<void> compress(ApiPtr api, std::shared_ptr<Request> request, std::shared_ptr<Reply> reply) {
  const std::string* accepts = request->headers.find("Accept-Encoding");
  const bool wanted = reply->may_compress && !reply->stream && reply->status == 200 &&
                      reply->content().size() > kCompressFrom && accepts != nullptr && accepts_gzip(*accepts);
  if (!wanted) co_return;
  std::string packed;
  if (reply->content().size() <= kCompressAside) {
    packed = gzipped(reply->content());
  } else {
    packed = co_await on(api->services.pool, [reply] { return gzipped(reply->content()); });
  }
  if (packed.empty()) co_return;
  reply->body = std::move(packed);
  reply->fixed_body = {};
  reply->headers.add("Content-Encoding", "gzip");
  reply->headers.add("Vary", "Accept-Encoding");
}

void log_failure(Api& api, const Request& request, const absl::Status& problem) {
  if (http_status(problem) != 500) return;
  api.services.log.error("a request failed", {{"request", request.method_name + " " + request.target},
                                              {"request_id", request.id},
                                              {"what", message(problem)}});
}

}  // namespace

Api::Api(boost::asio::any_io_executor executor, Services the_services, RestOptions the_options)
    : io(std::move(executor)),
      services(std::move(the_services)),
      options(std::move(the_options)),
      audits_done(io, boost::asio::steady_timer::time_point::max()) {
  add_probe_routes(*this);
  if (!options.serves_api) return;
  add_submit_routes(*this);
  add_job_routes(*this);
  add_job_list_routes(*this);
  add_job_change_routes(*this);
  add_log_routes(*this);
  add_catalog_routes(*this);
  add_health_routes(*this);
  add_routing_routes(*this);
  add_attribute_routes(*this);
  add_stats_routes(*this);
  add_record_routes(*this);
  add_event_routes(*this);
  add_admin_routes(*this);
  add_system_routes(*this);
}
Api::~Api() = default;

Task<Reply> Api::answer(ApiPtr self, std::shared_ptr<Request> request) {
  const absl::Time start = absl::Now();
  absl::StatusOr<Resolved> resolved = resolve(*self, request);
  absl::StatusOr<Reply> answer = Reply();
  const Route* route = nullptr;
  std::shared_ptr<Call> call = std::make_shared<Call>();
  call->request = request;
  if (!resolved.ok()) {
    answer = resolved.status();
  } else if (resolved->reply) {
    answer = *std::move(resolved->reply);
  } else {
    route = resolved->route;
    call = resolved->call;
    answer = co_await call_route(self, route, call);
  }
  if (!answer.ok()) log_failure(*self, *request, answer.status());
  const auto reply = std::make_shared<Reply>(answer.ok() ? *std::move(answer) : error_reply(answer.status()));
  audit(self, route, *call, *reply);
  co_await compress(self, request, reply);
  self->metrics.request(to_string(request->method),
                        route == nullptr ? "other" : std::string_view(route->path), reply->status,
                        absl::Now() - start);
  co_return std::move(*reply);
}

absl::StatusOr<domain::Caller> known_caller(const Api& api, const Request& request) {
  WB_ASSIGN(std::string name, api.auth->name_of(request));
  return api.auth->caller(std::move(name), request);
}

Task<absl::StatusOr<domain::Caller>> identify(ApiPtr api, std::shared_ptr<Request> request) {
  if (api->tokens == nullptr) co_return known_caller(*api, *request);
  const std::string token(Authenticator::bearer(*request));
  absl::StatusOr<std::string> name = std::string();
  if (!token.empty()) name = co_await api->tokens->verify(token);
  WB_CO_TRY(name);
  co_return api->auth->caller(*std::move(name), *request);
}

absl::Status require_caller(const Call& call) {
  return call.caller.name.empty() ? no_caller() : absl::OkStatus();
}

absl::Status require_admin(const Call& call) {
  if (call.caller.is_admin) return absl::OkStatus();
  return denied("only admins may do this: see auth.admins in the configuration");
}

bool is_scoped(const Api& api, const Call& call) {
  return api.auth->options().read_scoped && !call.caller.is_admin;
}

Task<absl::StatusOr<domain::Job>> visible_job(ApiPtr api, CallPtr call, JobId id) {
  if (is_scoped(*api, *call)) {
    WB_CO_TRY(require_caller(*call));
  }
  absl::StatusOr<domain::Job> job = co_await api->services.jobs.get(std::move(id));
  if (!job.ok() && absl::IsNotFound(job.status())) co_return unknown_job();
  if (job.ok() && is_scoped(*api, *call) && job->spec.user != call->caller.name) co_return unknown_job();
  co_return job;
}

// FNV-1a: the tag must only differ where the text does, and be the same on every instance.
Reply with_etag(const Call& call, std::string body) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  const std::string tag = fmt::format("W/\"{:016x}\"", hash);
  Reply reply = json_reply(std::move(body));
  reply.headers.add("ETag", tag);
  reply.headers.add("Cache-Control", "no-cache");
  const std::string* known = call.request->headers.find("If-None-Match");
  if (known == nullptr) return reply;
  for (const std::string& one : comma_list(*known)) {
    if (one != "*" && one != tag && "W/" + one != tag) continue;
    reply.status = 304;
    reply.body.clear();
    reply.content_type.clear();
    break;
  }
  return reply;
}

}  // namespace waybill::rest
