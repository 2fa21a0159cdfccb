#include "waybill/app/server.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "waybill/api/grpc/grpc_server.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/app/config_commands.h"
#include "waybill/app/own_runs.h"
#include "waybill/app/record_attributes.h"
#include "waybill/app/settings.h"
#include "waybill/app/watching.h"
#include "waybill/base/status.h"
#include "waybill/engine/directory_marks.h"
#include "waybill/engine/engine.h"
#include "waybill/plugins/builtin.h"
#include "waybill/storage/database.h"
#include "waybill/storage/files/log_store.h"
#include "waybill/storage/files/result_store.h"

namespace waybill::app {
namespace {

constexpr std::size_t kPoolThreads = 4;

absl::Status make_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (!problem) return absl::OkStatus();
  return unavailable(fmt::format("the directory {} can't be made: {}", path, problem.message()));
}

// A gRPC call says who sends it as a request does: by its metadata, its certificate and where it comes from.
std::shared_ptr<rest::Request> as_request(rpc::Sender sender) {
  auto request = std::make_shared<rest::Request>();
  for (auto& [name, value] : sender.metadata) request->headers.add(std::move(name), std::move(value));
  request->peer = std::move(sender.peer);
  request->peer_local = sender.peer_local;
  request->tls_user = std::move(sender.tls_user);
  return request;
}

// A relative path says little to the other server that is told of it.
std::string absolute(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path whole = std::filesystem::absolute(path, problem);
  return problem ? path : whole.lexically_normal().string();
}

// Marks the server's directories as its database's, and says which ones they are.
absl::StatusOr<std::vector<ports::SharedDirectory>> mark_directories(const config::Config& config,
                                                                     const storage::Storage& storage,
                                                                     IdGenerator& ids, absl::Time now) {
  const engine::DatabaseMark database{.id = storage.mark(),
                                      .name = masked_connection(config.database.connection_string.reveal())};
  std::vector<ports::SharedDirectory> marked;
  for (const auto& [setting, configured] : {std::pair("jobs_directory", &config.jobs_directory),
                                            std::pair("archive_directory", &config.archive_directory),
                                            std::pair("result_directory", &config.result_directory)}) {
    const std::string path = absolute(*configured);
    WB_TRY(engine::claim_directory(setting, path, database));
    WB_ASSIGN(std::string id, engine::directory_id(path, ids, now));
    marked.push_back({.setting = setting, .path = path, .id = std::move(id)});
  }
  return marked;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::open(boost::asio::any_io_executor io, config::Config config,
                                                     Log& log) {
  for (const std::string& directory :
       {config.jobs_directory, config.archive_directory, config.result_directory}) {
    WB_TRY(make_directory(directory));
  }
  auto clock = std::make_unique<SystemClock>();
  std::vector<history::WatchedCluster> clusters;
  if (has_role(config, "watcher")) {
    WB_ASSIGN(clusters, watched_clusters(io, *clock, config));
    add_own_runs(io, *clock, config, log, clusters);
  }
  IdGenerator ids;
  WB_ASSIGN(engine::InstanceIdentity identity,
            engine::InstanceIdentity::take(config.jobs_directory, ids, clock->now()));
  WB_ASSIGN(std::unique_ptr<storage::Storage> storage,
            storage::open(database_options(config, identity.id()), io, *clock, log));
  WB_ASSIGN(std::vector<ports::SharedDirectory> directories,
            mark_directories(config, *storage, ids, clock->now()));
  if (!storage->is_shared()) directories.clear();
  std::unique_ptr<Server> server(new Server(io, std::move(config), std::move(identity),
                                            std::move(directories), std::move(storage), log,
                                            std::move(clock)));
  server->watch(std::move(clusters));
  return server;
}

void Server::watch(std::vector<history::WatchedCluster> clusters) {
  WatchingOptions options{.instance = identity_.id(),
                          .clusters = std::move(clusters),
                          .manifest_bytes = config_.limits.manifest_bytes,
                          .close_unwatched_after = config_.history_unwatched_close};
  if (has_role(config_, "janitor")) options.keep = config_.janitor.record_retention;
  watching_ = std::make_unique<Watching>(
      WatchingParts{.io = io_,
                    .records = storage_->records(),
                    .clock = *clock_,
                    .log = log_,
                    .redactor = redactor_,
                    .watches = watches_,
                    .render = record_attributes([this] { return gateway_->catalog(); }, redactor_,
                                                render_options(config_))},
      std::move(options));
}

Server::Server(boost::asio::any_io_executor io, config::Config config, engine::InstanceIdentity identity,
               std::vector<ports::SharedDirectory> shared, std::unique_ptr<storage::Storage> storage,
               Log& log, std::unique_ptr<SystemClock> clock)
    : io_(std::move(io)),
      log_(log),
      config_(std::move(config)),
      identity_(std::move(identity)),
      shared_(std::move(shared)),
      clock_(std::move(clock)),
      redactor_(config_.secret_keys),
      storage_(std::move(storage)),
      pool_(kPoolThreads),
      logs_(std::make_unique<storage::FileLogStore>(pool_, config_.jobs_directory)),
      results_(std::make_unique<storage::FileResultStore>(pool_, config_.result_directory)),
      watches_(io_, *clock_, log_) {
  executors_ = plugins::make_executors({.io = io_,
                                        .pool = pool_,
                                        .clock = *clock_,
                                        .nudge =
                                            [this](const JobId& id) {
                                              if (engine_) engine_->nudge(id);
                                            },
                                        .shell = shell_options(config_),
                                        .watches = &watches_,
                                        .kubernetes = kubernetes_options(config_)});
  engine_ = std::make_unique<engine::Engine>(io_,
                                             engine::EnginePorts{.jobs = storage_->jobs(),
                                                                 .catalog = storage_->catalog(),
                                                                 .events = storage_->events(),
                                                                 .audit = storage_->audit(),
                                                                 .logs = *logs_,
                                                                 .results = *results_,
                                                                 .changes = storage_->changes(),
                                                                 .clock = *clock_,
                                                                 .executors = executors_,
                                                                 .pool = pool_,
                                                                 .lanes = {quick_rendering_, slow_rendering_},
                                                                 .log = log_,
                                                                 .redactor = redactor_},
                                             engine_options(config_, identity_, shared_));
  gateway_ = rest::make_gateway(*engine_);
  rest_ = std::make_unique<rest::RestServer>(
      io_,
      rest::Services{.gateway = *gateway_,
                     .jobs = storage_->jobs(),
                     .events = storage_->events(),
                     .audit = storage_->audit(),
                     .logs = *logs_,
                     .results = *results_,
                     .stats = storage_->stats(),
                     .records = storage_->record_reader(),
                     .changes = storage_->changes(),
                     .clock = *clock_,
                     .pool = pool_,
                     .previews = previews_,
                     .log = log_,
                     .redactor = redactor_,
                     .reload = [this] { return reload(); },
                     .watches =
                         [this] {
                           using Reports = std::vector<ports::WatchReport>;
                           return watching_ ? watching_->reports() : Reports();
                         }},
      rest_options(config_));
  if (config_.server.grpc_addr.empty() || !has_role(config_, "api")) return;
  grpc_ = std::make_unique<rpc::GrpcServer>(io_,
                                            rpc::GrpcServices{.records = storage_->record_reader(),
                                                              .audit = storage_->audit(),
                                                              .clock = *clock_,
                                                              .pool = pool_,
                                                              .log = log_,
                                                              .identify =
                                                                  [this](rpc::Sender sender) {
                                                                    return rest_->identify(
                                                                        as_request(std::move(sender)),
                                                                        config_.auth.grpc_anonymous_user);
                                                                  }},
                                            grpc_options(config_));
}

Server::~Server() {
  for (Pool* pool : {&quick_rendering_, &slow_rendering_, &previews_, &pool_}) pool->join();
}

Task<absl::Status> Server::start() {
  domain::Catalog base = config_.base;
  const absl::Status started = co_await engine_->start(std::move(base));
  WB_CO_TRY(started);
  WB_CO_TRY(start_grpc());
  const absl::Status listening = rest_->start();
  if (!listening.ok() && grpc_) co_await grpc_->stop();
  WB_CO_TRY(listening);
  watching_->start();
  log_.info("waybill is ready",
            {{"address", config_.server.addr},
             {"port", std::to_string(rest_->port())},
             {"grpc_port", grpc_ ? std::to_string(grpc_->port()) : "off"},
             {"instance", identity_.id().str()},
             {"database", masked_connection(config_.database.connection_string.reveal())}});
  co_return absl::OkStatus();
}

// An address that somebody chose must be had. The default one is only a wish: a second server on the machine
// whose config says nothing of gRPC must come up too.
absl::Status Server::start_grpc() {
  if (!grpc_) return absl::OkStatus();
  absl::Status started = grpc_->start();
  const bool is_wish = config_.server.grpc_addr == rpc::GrpcOptions().address;
  if (started.ok() || !is_wish) return started;
  log_.warn("gRPC is off: the default address is taken; server.grpc_addr chooses another, or none",
            {{"what", message(started)}});
  grpc_.reset();
  return absl::OkStatus();
}

Task<void> Server::stop() {
  log_.info("stopping: jobs that run go on and are followed again after the next start");
  if (grpc_) co_await grpc_->stop();
  co_await rest_->stop();
  co_await watching_->stop();
  co_await engine_->stop();
}

Task<absl::Status> Server::reload() {
  if (reloading_) co_return conflict("the configuration is being loaded already: try again in a moment");
  reloading_ = true;
  const absl::Status outcome = co_await reload_once();
  reloading_ = false;
  if (outcome.ok()) {
    log_.info("the configuration was loaded again");
  } else {
    log_.error("the configuration was not loaded again; the old one stays", {{"error", message(outcome)}});
  }
  co_return outcome;
}

Task<absl::Status> Server::reload_once() {
  const std::string file = config_.file;
  config::Loaded loaded = co_await on(pool_, [file] { return config::load(file, load_options()); });
  if (!loaded.ok()) {
    std::vector<std::string> mistakes;
    for (config::Mistake& mistake : loaded.mistakes) {
      // The answer goes to a client, whom the server's folders do not concern.
      mistake.file = std::filesystem::path(mistake.file).filename();
      mistakes.push_back(config::format_mistake(mistake));
    }
    co_return invalid(joined(mistakes));
  }
  const config::ReloadDiff changes = config::diff(config_, *loaded.config);
  config::Config next = config::reloaded(config_, *std::move(loaded.config));
  WB_CO_TRY(rest_->reload(rest_options(next)));
  if (grpc_) grpc_->reload(next.auth.read_scoped);
  domain::Catalog base = next.base;
  engine::EngineOptions options = engine_options(next, identity_, shared_);
  const absl::Status taken = co_await engine_->reload(std::move(base), std::move(options));
  WB_CO_TRY(taken);
  for (const auto& [plugin, executor] : executors_) executor->set_limits(run_limits(next));
  config_ = std::move(next);
  if (!changes.needs_restart.empty()) {
    log_.warn("some settings of the configuration count only after a restart",
              {{"settings", joined(changes.needs_restart)}});
  }
  co_return absl::OkStatus();
}

std::uint16_t Server::port() const { return rest_->port(); }

}  // namespace waybill::app
