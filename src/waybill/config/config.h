#pragma once

#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/config/value.h"
#include "waybill/domain/catalog.h"

// The settings of a server, typed. Defaults, bounds and meanings are declared once, in config/schema: a
// Config made by hand is all zeros, defaults() makes the one of a server without a file, load() the one of a
// file (config/load.h).
namespace waybill::config {

struct Tls {
  std::string cert;       // PEM file; "" : no TLS
  std::string key;        // PEM file
  std::string client_ca;  // PEM file; "" : no client certificates
};

struct Server {
  std::string addr;       // "127.0.0.1:9090", ":9090", "[::1]:9090", "unix:/run/waybill.sock"
  std::string grpc_addr;  // "" : off
  Tls tls;
  std::size_t max_body_bytes = 0;
  std::size_t max_header_bytes = 0;
  absl::Duration read_timeout;
  absl::Duration write_timeout;
  absl::Duration idle_timeout;
  absl::Duration read_header_timeout;
  int io_threads = 0;
  int max_connections = 0;
  int max_in_flight = 0;  // requests being answered at the same time
};

struct Database {
  Secret connection_string;  // "sqlite:PATH" or "postgres://…" (also "postgresql://…")
  int pool_size = 0;
};

struct Pool {
  int size = 0;  // host-local jobs running, and start calls in progress
  absl::Duration sleep;
  int max_remote = 0;
  int sync_size = 0;
};

enum class AuthMode { kHeader, kOidc, kMtls };

struct Oidc {
  std::string issuer;
  std::string audience;
  std::string jwks_uri;
};

struct Auth {
  AuthMode mode = AuthMode::kHeader;
  std::string header;
  std::vector<std::string> admins;           // RE2, matched against the whole name
  std::vector<std::string> catalog_writers;  // RE2; empty: admins only
  std::vector<std::string> trusted_proxies;  // addresses or networks in CIDR form
  bool read_scoped = false;                  // a caller sees only jobs of their own
  std::string grpc_anonymous_user;           // "" : a gRPC call needs a caller
  Oidc oidc;
  std::string plugin;          // Heimdall's; never loaded, see auth.plugin in the schema
  std::string mtls_user_from;  // "cn": the subject's common name
};

struct Janitor {
  absl::Duration finished_job_retention;  // zero: for ever
  absl::Duration record_retention;        // zero: for ever
  absl::Duration stale_job;               // an instance's lease
};

struct HealthCheck {
  absl::Duration timeout;
  absl::Duration interval;
};

struct Limits {
  int queued_per_user = 0;   // 0: unlimited
  int running_per_user = 0;  // 0: unlimited
  std::size_t result_rows = 0;
  std::size_t result_bytes = 0;
  std::size_t log_bytes = 0;  // per stream and attempt
  std::size_t tags = 0;
  std::size_t tag_bytes = 0;
  std::size_t name_bytes = 0;
  std::size_t context_depth = 0;
  std::size_t manifest_bytes = 0;
  std::size_t template_steps = 0;
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  Log::Format format = Log::Format::kText;
};

// Whom to tell of transitions.
struct Webhook {
  Secret url;                         // an URL may carry a token: it does not print
  std::vector<std::string> events;    // "job", "record"; empty: both
  std::vector<std::string> statuses;  // status words; empty: all
  Secret secret;                      // signs the body; "" : unsigned
  absl::Duration timeout;
};

// How to reach a Kubernetes API server.
struct KubernetesAccess {
  bool in_cluster = false;
  std::string kubeconfig;  // "" : $KUBECONFIG, then ~/.kube/config
  std::string context;     // "" : the kubeconfig's current one
};

// What is recorded from one cluster.
struct HistorySource {
  ClusterId cluster;
  KubernetesAccess kubernetes;
  std::vector<std::string> namespaces;  // empty: all
  std::string label_selector;           // "" : every SparkApplication
  bool mask_manifests = true;
};

// One kind of job of the feature store: the SparkApplication's spec, with ${project}, ${featureTable},
// ${hash}.
struct FeatureJobTemplate {
  std::string image;
  boost::json::object spec;
};

struct FeatureStoreBackend {
  std::string name;  // the online store's
  std::optional<FeatureJobTemplate> batch_ingestion;
  std::optional<FeatureJobTemplate> stream_ingestion;
};

struct FeatureStore {
  std::string name_space;  // where its SparkApplications live
  KubernetesAccess kubernetes;
  std::string default_batch_store;
  std::string default_stream_store;
  std::vector<FeatureStoreBackend> stores;
  std::optional<FeatureJobTemplate> retrieval;
  std::string delta_project;
  std::string delta_dataset;
  absl::Duration default_max_age;
  bool sync_ingestion_job_on_spec_update = false;
  std::map<std::string, std::map<std::string, std::string>> projects;  // project -> its placeholders
};

// Heimdall's access control providers. Only their names are used: a cluster may refer to them.
struct Rbac {
  std::string name;
  std::string type;
};

// Where a setting's value came from.
enum class Origin { kDefault, kFile, kEnvironment };

// One setting as it counts, for `config show` and for telling what a reload changed.
struct Effective {
  Value value;  // a Secret where the setting is one, or where it came from !file or !env
  Origin origin = Origin::kDefault;
  int line = 0;  // in the file, from 1; 0: not from it
};

struct Config {
  Server server;
  Database database;
  Pool pool;
  std::vector<std::string> roles;  // of "api", "worker", "watcher", "janitor"
  std::string jobs_directory;
  std::string archive_directory;
  std::string result_directory;
  Auth auth;
  Janitor janitor;
  HealthCheck health_check;
  Limits limits;
  std::string shell_run_as;  // "" : the server's own user
  LogSettings log;
  std::vector<Webhook> webhooks;
  std::vector<std::string> attribute_link_schemes;
  bool keep_outputs = false;
  std::vector<std::string> secret_keys;
  absl::Duration idempotency;
  absl::Duration host_lost_after;
  absl::Duration history_unwatched_close;  // a record whose cluster is no longer watched is closed after this
  std::vector<HistorySource> history;
  std::optional<FeatureStore> feature_store;  // absent: the feature store's services are off
  std::vector<Rbac> rbacs;

  // The config's commands and clusters, all with origin kConfig. Contexts hold secret references unresolved
  // (base/secret.h).
  domain::Catalog base;

  std::map<std::string, Effective> settings;  // by name ("pool.size"), the scalar ones
  std::string file;                           // "" : no file
};

// A server without a file: SQLite, one `localhost` cluster, the commands `ping` and `shell`.
[[nodiscard]] Config defaults();

}  // namespace waybill::config
