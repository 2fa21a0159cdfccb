#include "waybill/api/rest/rest_server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/event_hub.h"
#include "waybill/api/rest/oidc.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

absl::Status use_auth(Api& api, AuthOptions options) {
  WB_ASSIGN(auto auth, Authenticator::make(options));
  std::shared_ptr<TokenVerifier> tokens;
  if (options.mode == AuthMode::kOidc) {
    if (options.oidc_issuer.empty()) return invalid("auth.oidc.issuer: the mode oidc needs it");
    if (options.oidc_audience.empty()) return invalid("auth.oidc.audience: the mode oidc needs it");
    TokenOptions token_options;
    token_options.rules.issuer = options.oidc_issuer;
    token_options.rules.audience = options.oidc_audience;
    token_options.jwks_uri = options.oidc_jwks_uri;
    tokens = std::make_shared<TokenVerifier>(api.io, api.services.pool, api.services.clock, api.services.log,
                                             std::move(token_options), fetch_by_curl());
  }
  api.auth = std::move(auth);
  api.tokens = std::move(tokens);
  return absl::OkStatus();
}

}  // namespace

RestServer::RestServer(boost::asio::any_io_executor io, Services services, RestOptions options)
    : api_(std::make_shared<Api>(io, std::move(services), std::move(options))) {
  Api& api = *api_;
  api.hub = std::make_shared<EventHub>(io, api.services.events, api.services.changes, api.services.log,
                                       api.services.redactor);
  server_ = std::make_unique<HttpServer>(
      std::move(io), api.options.http,
      [weak = std::weak_ptr<Api>(api_)](std::shared_ptr<Request> request) -> Task<Reply> {
        return Api::answer(weak.lock(), std::move(request));
      },
      api.services.log);
  api.server = server_.get();
}

RestServer::~RestServer() { api_->server = nullptr; }

absl::Status RestServer::start() {
  WB_TRY(use_auth(*api_, api_->options.auth));
  return server_->start();
}

std::uint16_t RestServer::port() const { return server_->port(); }

absl::Status RestServer::reload(RestOptions options) {
  WB_TRY(use_auth(*api_, std::move(options.auth)));
  api_->options.context_depth = options.context_depth;
  api_->options.render = std::move(options.render);
  server_->set_limits(options.http);
  return absl::OkStatus();
}

// Nothing of the API may touch a store after this: the hub and the audit log's last rows are waited for.
Task<void> RestServer::stop() {
  co_await server_->stop();
  co_await api_->hub->stopped();
  while (api_->audits > 0) {
    auto [ignored] = co_await api_->audits_done.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    static_cast<void>(ignored);
  }
}

Task<absl::StatusOr<domain::Caller>> RestServer::identify(std::shared_ptr<Request> request,
                                                          std::string otherwise) {
  absl::StatusOr<domain::Caller> caller = co_await rest::identify(api_, request);
  if (caller.ok() && caller->name.empty() && !otherwise.empty()) {
    caller = api_->auth->caller(std::move(otherwise), *request);
  }
  co_return caller;
}

Task<Reply> RestServer::answer(std::shared_ptr<Request> request) {
  return Api::answer(api_, std::move(request));
}

}  // namespace waybill::rest
