#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/api/rest/gateway.h"
#include "waybill/api/rest/http/http_server.h"
#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/redact.h"
#include "waybill/domain/caller.h"
#include "waybill/engine/attributes.h"
#include "waybill/ports/audit_log.h"
#include "waybill/ports/change_feed.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/event_store.h"
#include "waybill/ports/job_store.h"
#include "waybill/ports/log_store.h"
#include "waybill/ports/record_reader.h"
#include "waybill/ports/result_store.h"
#include "waybill/ports/stats_store.h"
#include "waybill/ports/watch_report.h"

namespace waybill::rest {

enum class AuthMode { kHeader, kOidc, kMtls };

// Who a caller is and may be; patterns are RE2, matched against the whole name.
struct AuthOptions {
  AuthMode mode = AuthMode::kHeader;
  std::string header = "X-Heimdall-User";
  std::vector<std::string> trusted_proxies = {"127.0.0.0/8",
                                              "::1"};  // addresses or networks; unix sockets always
  std::vector<std::string> admins;
  std::vector<std::string> catalog_writers;  // besides admins
  bool read_scoped = false;                  // only admins see jobs of others
  std::string oidc_issuer;
  std::string oidc_audience;
  std::string oidc_jwks_uri;
};

struct RestOptions {
  HttpOptions http;
  AuthOptions auth;
  std::size_t context_depth = 32;
  engine::RenderOptions render;  // of attribute previews
  std::string version;           // of the program, for /healthz
  bool serves_api = true;        // false (no role `api`): only /healthz, /readyz and /metrics
  // Files of the web UI by the path under /ui/ ("index.html", "assets/app.js"); bytes live as long as the
  // program.
  struct StaticFile {
    std::string_view bytes;
    std::string content_type;
    bool immutable = false;  // its name changes with its content: cache it for ever
  };
  std::function<std::optional<StaticFile>(std::string_view path)> ui;
};

// Everything the API stands on. References outlive the server.
struct Services {
  Gateway& gateway;
  ports::JobStore& jobs;
  ports::EventStore& events;
  ports::AuditLog& audit;
  ports::LogStore& logs;
  ports::ResultStore& results;
  ports::StatsStore& stats;
  ports::RecordReader& records;
  ports::ChangeFeed& changes;
  ports::Clock& clock;
  Pool& pool;  // compressing, fetching keys
  Pool& previews;
  Log& log;
  const Redactor& redactor;
  std::function<Task<absl::Status>()> reload;  // POST /admin/reload
  std::function<std::vector<ports::WatchReport>()> watches = {};
};

struct Api;

// The REST API of one instance. All calls on the io thread.
class RestServer {
 public:
  RestServer(boost::asio::any_io_executor io, Services services, RestOptions options);
  ~RestServer();

  absl::Status start();                      // an error names the address, or the setting that is wrong
  [[nodiscard]] std::uint16_t port() const;  // 0: a unix socket
  absl::Status reload(RestOptions options);  // callers and limits of a new config; address and TLS stay
  Task<void> stop();                         // see HttpServer::stop()

  // Who makes such a request, judged by its peer, headers and certificate alone. `otherwise` is who it counts
  // as where they say nothing; "" : nobody.
  Task<absl::StatusOr<domain::Caller>> identify(std::shared_ptr<Request> request, std::string otherwise);

  // Answers one request without a socket: what tests and the fuzzers of the API call.
  Task<Reply> answer(std::shared_ptr<Request> request);

 private:
  std::shared_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace waybill::rest
