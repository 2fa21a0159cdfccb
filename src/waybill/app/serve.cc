#include "waybill/app/serve.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <ostream>
#include <utility>

#include "waybill/app/config_commands.h"
#include "waybill/app/server.h"
#include "waybill/app/settings.h"
#include "waybill/app/system_clock.h"
#include "waybill/base/status.h"
#include "waybill/cli/cli.h"
#include "waybill/config/load.h"
#include "waybill/storage/database.h"

namespace waybill::app {
namespace {

namespace asio = boost::asio;

// A job of the same user must read neither the server's memory nor its files.
void close_doors() {
  umask(S_IRWXG | S_IRWXO);
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(SIGPIPE, SIG_IGN);
}

// Every connection and every job's files need descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Runs until a signal asks for the end; answers why it could not.
Task<absl::Status> run(std::shared_ptr<Server> server, std::shared_ptr<asio::signal_set> signals) {
  const absl::Status started = co_await server->start();
  WB_CO_TRY(started);
  for (;;) {
    const auto [problem, signal] = co_await signals->async_wait(asio::as_tuple(asio::use_awaitable));
    if (problem || signal != SIGHUP) break;
    const absl::Status reloaded = co_await server->reload();  // says itself what was wrong
    static_cast<void>(reloaded);
  }
  co_await server->stop();
  co_return absl::OkStatus();
}

absl::Status run_to_the_end(config::Config config, Log& log) {
  asio::io_context io(1);  // one thread runs it
  WB_ASSIGN(std::unique_ptr<Server> opened, Server::open(io.get_executor(), std::move(config), log));
  const std::shared_ptr<Server> server = std::move(opened);
  auto signals = std::make_shared<asio::signal_set>(io, SIGINT, SIGTERM, SIGHUP);
  absl::Status outcome;
  asio::co_spawn(io, run(server, signals), [&](const std::exception_ptr& thrown, absl::Status status) {
    outcome = std::move(status);
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      outcome = absl::InternalError(e.what());
    }
    io.stop();
  });
  io.run();
  return outcome;
}

}  // namespace

int serve(const std::string& file, cli::Environment& environment) {
  close_doors();
  raise_descriptor_limit();
  config::Loaded loaded = config::load(file, load_options());
  print_findings(loaded, environment);
  if (!loaded.ok()) return cli::kUsage;
  Log log(loaded.config->log.level, loaded.config->log.format);
  const absl::Status outcome = run_to_the_end(*std::move(loaded.config), log);
  if (outcome.ok()) return cli::kOk;
  cli::print_error(environment, message(outcome));
  return cli::kError;
}

int migrate(const std::string& file, cli::Environment& environment) {
  config::Loaded loaded = config::load(file, load_options());
  print_findings(loaded, environment);
  if (!loaded.ok()) return cli::kUsage;
  const SystemClock clock;
  const auto applied = storage::migrate_database(database_options(*loaded.config, InstanceId()), clock);
  if (!applied.ok()) {
    cli::print_error(environment, message(applied.status()));
    return cli::kError;
  }
  for (const std::string& name : *applied) environment.out << "applied " << name << '\n';
  environment.out << fmt::format("the schema is up to date ({} applied)\n", applied->size());
  return cli::kOk;
}

}  // namespace waybill::app
