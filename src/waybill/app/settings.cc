#include "waybill/app/settings.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "waybill/api/web/static_files.h"
#include "waybill/base/host.h"
#include "waybill/plugins/shell/launch.h"

namespace waybill::app {

bool has_role(const config::Config& config, std::string_view role) {
  return std::find(config.roles.begin(), config.roles.end(), role) != config.roles.end();
}

engine::RenderOptions render_options(const config::Config& config) {
  engine::RenderOptions options;
  options.link_schemes = config.attribute_link_schemes;
  options.template_steps = config.limits.template_steps;
  return options;
}

engine::EngineOptions engine_options(const config::Config& config, const engine::InstanceIdentity& identity,
                                     std::vector<ports::SharedDirectory> shared) {
  engine::EngineOptions options;
  options.instance = identity.id();
  options.host = identity.home();
  options.version = WAYBILL_VERSION;
  options.directories = std::move(shared);
  options.roles = config.roles;
  options.pool_size = config.pool.size;
  options.max_remote = config.pool.max_remote;
  options.sync_size = config.pool.sync_size;
  options.poll = config.pool.sleep;
  options.lease = config.janitor.stale_job;
  options.host_lost_after = config.host_lost_after;
  options.retention = config.janitor.finished_job_retention;
  options.event_retention = config.janitor.finished_job_retention;
  options.idempotency = config.idempotency;
  options.health_timeout = config.health_check.timeout;
  options.health_interval = config.health_check.interval;
  options.queued_per_user = config.limits.queued_per_user;
  options.running_per_user = config.limits.running_per_user;
  options.max_tags = config.limits.tags;
  options.tag_bytes = config.limits.tag_bytes;
  options.name_bytes = config.limits.name_bytes;
  options.context_depth = config.limits.context_depth;
  options.keep_outputs = config.keep_outputs;
  options.render = render_options(config);
  return options;
}

namespace {

rest::AuthOptions auth_options(const config::Config& config) {
  rest::AuthOptions options;
  switch (config.auth.mode) {
    case config::AuthMode::kHeader:
      options.mode = rest::AuthMode::kHeader;
      break;
    case config::AuthMode::kOidc:
      options.mode = rest::AuthMode::kOidc;
      break;
    case config::AuthMode::kMtls:
      options.mode = rest::AuthMode::kMtls;
      break;
  }
  options.header = config.auth.header;
  options.trusted_proxies = config.auth.trusted_proxies;
  options.admins = config.auth.admins;
  options.catalog_writers = config.auth.catalog_writers;
  options.read_scoped = config.auth.read_scoped;
  options.oidc_issuer = config.auth.oidc.issuer;
  options.oidc_audience = config.auth.oidc.audience;
  options.oidc_jwks_uri = config.auth.oidc.jwks_uri;
  return options;
}

using UiFile = rest::RestOptions::StaticFile;

std::function<std::optional<UiFile>(std::string_view)> ui_files() {
  auto files = std::make_shared<const web::StaticFiles>();
  return [files](std::string_view path) -> std::optional<UiFile> {
    const std::optional<web::StaticFile> file = files->find(path);
    if (!file) return std::nullopt;
    return UiFile{file->bytes, std::string(file->content_type), file->immutable};
  };
}

}  // namespace

rest::RestOptions rest_options(const config::Config& config) {
  rest::RestOptions options;
  options.http.address = config.server.addr;
  options.http.tls_cert = config.server.tls.cert;
  options.http.tls_key = config.server.tls.key;
  options.http.tls_client_ca = config.server.tls.client_ca;
  options.http.max_body_bytes = config.server.max_body_bytes;
  options.http.max_header_bytes = config.server.max_header_bytes;
  options.http.max_connections = config.server.max_connections;
  options.http.max_in_flight = config.server.max_in_flight;
  options.http.read_header_timeout = config.server.read_header_timeout;
  options.http.read_timeout = config.server.read_timeout;
  options.http.write_timeout = config.server.write_timeout;
  options.http.idle_timeout = config.server.idle_timeout;
  options.auth = auth_options(config);
  options.context_depth = config.limits.context_depth;
  options.render = render_options(config);
  options.version = WAYBILL_VERSION;
  options.serves_api = has_role(config, "api");
  options.ui = ui_files();
  return options;
}

rpc::GrpcOptions grpc_options(const config::Config& config) {
  rpc::GrpcOptions options;
  options.address = config.server.grpc_addr;
  options.tls_cert = config.server.tls.cert;
  options.tls_key = config.server.tls.key;
  options.tls_client_ca = config.server.tls.client_ca;
  options.max_request_bytes = config.server.max_body_bytes;
  options.max_in_flight = config.server.max_in_flight;
  options.read_scoped = config.auth.read_scoped;
  return options;
}

ports::RunLimits run_limits(const config::Config& config) {
  ports::RunLimits limits;
  limits.log_bytes = config.limits.log_bytes;
  limits.result_rows = config.limits.result_rows;
  limits.result_bytes = config.limits.result_bytes;
  return limits;
}

plugins::KubernetesOptions kubernetes_options(const config::Config& config) {
  plugins::KubernetesOptions options;
  options.jobs_directory = config.jobs_directory;
  options.limits = run_limits(config);
  return options;
}

plugins::ShellOptions shell_options(const config::Config& config) {
  plugins::ShellOptions options;
  options.jobs_directory = config.jobs_directory;
  options.limits = run_limits(config);
  options.run_as = config.shell_run_as;
  // Where only this program was installed, it does that work too, if more slowly.
  constexpr char kSmall[] = "waybill-supervise";
  auto program = std::make_shared<const UniqueFd>(plugins::open_sibling(kSmall));
  if (program->ok()) {
    options.supervisor = {kSmall};
    options.supervisor_program = std::move(program);
  }
  return options;
}

storage::DatabaseOptions database_options(const config::Config& config, const InstanceId& instance) {
  storage::DatabaseOptions options;
  options.connection = config.database.connection_string.reveal();
  options.pool_size = static_cast<std::size_t>(config.database.pool_size);
  options.instance = instance;
  options.host = host_name();
  return options;
}

}  // namespace waybill::app
