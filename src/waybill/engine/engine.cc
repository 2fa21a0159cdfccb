#include "waybill/engine/engine.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/claimer.h"
#include "waybill/engine/endings.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/health_state.h"
#include "waybill/engine/janitor.h"
#include "waybill/engine/leases.h"
#include "waybill/engine/render_again.h"
#include "waybill/engine/runner.h"

namespace waybill::engine {
namespace {

constexpr absl::Duration kStopLimit = absl::Seconds(10);  // for start calls in progress

Task<void> refresh_catalog(std::shared_ptr<EngineParts> parts) {
  const absl::Status read = co_await parts->catalog->read();
  if (read.ok() || parts->halted) co_return;
  parts->ports.log.warn("the catalog can't be read now", {{"error", message(read)}});
}

// The catalog is also read from time to time: a notice may be missed.
Task<void> refresh_catalog_often(std::shared_ptr<EngineParts> parts) {
  while (!parts->stopping && !parts->halted) {
    co_await parts->catalog->wake.wait(parts->ports.clock, kCatalogLook);
    if (parts->stopping || parts->halted) co_return;
    co_await refresh_catalog(parts);
  }
}

void hear(const std::shared_ptr<EngineParts>& parts, const ports::ChangeNotice& notice) {
  if (parts->halted) return;
  switch (notice.kind) {
    case ports::ChangeKind::kJobsWaiting:
      parts->claimer->jobs_waiting();
      break;
    case ports::ChangeKind::kCancelRequested:
      if (notice.id.empty()) {  // many at once
        parts->leases->look_for_cancels_soon();
      } else {
        parts->runner->cancel_noticed(JobId(notice.id));
      }
      break;
    case ports::ChangeKind::kCatalogChanged:
      parts->catalog->wake.notify();
      break;
    case ports::ChangeKind::kEventsAppended:
      parts->endings->look_at(JobId(notice.id));
      break;
  }
}

}  // namespace

struct Engine::Doors {
  explicit Doors(const std::shared_ptr<EngineParts>& parts)
      : submitter(parts), canceler(parts), catalog(parts), health(parts) {}
  Submitter submitter;
  Canceler canceler;
  CatalogService catalog;
  HealthService health;
  std::unique_ptr<ports::ChangeFeed::Subscription> subscription;
};

Engine::Engine(boost::asio::any_io_executor io, EnginePorts ports, EngineOptions options)
    : parts_(std::make_shared<EngineParts>(std::move(io), ports, std::move(options))),
      doors_(std::make_unique<Doors>(parts_)) {}

Engine::~Engine() {
  parts_->stopping = true;
  parts_->halted = true;
}

Submitter& Engine::submitter() { return doors_->submitter; }
Canceler& Engine::canceler() { return doors_->canceler; }
CatalogService& Engine::catalog() { return doors_->catalog; }
HealthService& Engine::health() { return doors_->health; }

Task<absl::Status> Engine::start(domain::Catalog base) {
  const std::shared_ptr<EngineParts> parts = parts_;
  const absl::Status registered = co_await parts->leases->join();
  if (!registered.ok()) co_return registered;
  const absl::Status loaded = co_await doors_->catalog.load(std::move(base));
  if (!loaded.ok()) co_return loaded;
  doors_->subscription =
      parts->ports.changes.subscribe([parts](const ports::ChangeNotice& notice) { hear(parts, notice); });
  const absl::Status adopted = co_await parts->leases->adopt_own();
  if (!adopted.ok()) co_return adopted;
  parts->started = true;
  parts->spawn(parts->leases->run(), "leases");
  parts->spawn(parts->runner->run_timers(), "timers");
  parts->spawn(refresh_catalog_often(parts), "catalog");
  if (parts->has_role("worker")) parts->spawn(parts->claimer->run(), "claims");
  if (parts->has_role("janitor")) parts->spawn(parts->janitor->run(), "janitor");
  if (parts->has_role("api")) parts->spawn(run_probes(parts), "health");
  co_return absl::OkStatus();
}

Task<absl::Status> Engine::reload(domain::Catalog base, EngineOptions options) {
  const std::shared_ptr<EngineParts> parts = parts_;
  const absl::Status loaded = co_await doors_->catalog.load(std::move(base));
  if (!loaded.ok()) co_return loaded;
  // Who this is can't change while it runs.
  options.instance = parts->options.instance;
  options.host = parts->options.host;
  options.directories = parts->options.directories;
  options.roles = parts->options.roles;
  parts->options = std::move(options);
  parts->runner->fill_start_slots();
  parts->claimer->jobs_waiting();
  parts->health->wake.notify();  // what waits for the old interval
  co_return absl::OkStatus();
}

Task<void> Engine::stop() {
  const std::shared_ptr<EngineParts> parts = parts_;
  parts->stopping = true;
  doors_->subscription.reset();
  parts->leases->stop();
  parts->runner->stop();
  parts->claimer->stop();
  parts->janitor->stop();
  parts->health->wake.notify();
  parts->catalog->wake.notify();
  const absl::Time limit = parts->now() + kStopLimit;
  while (parts->writes > 0 || (parts->runner->starts() > 0 && parts->now() < limit)) {
    co_await parts->settled.wait(parts->ports.clock, absl::Seconds(1));
  }
  co_await parts->leases->leave();
  parts->halted = true;
}

void Engine::nudge(const JobId& id) {
  boost::asio::post(parts_->io, [parts = parts_, id] {
    if (!parts->halted) parts->runner->nudge(id);
  });
}

Task<absl::StatusOr<domain::Job>> Engine::render_again(JobId id, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  co_return co_await engine::render_again(parts, std::move(id), std::move(by));
}

Engine::Status Engine::status() const {
  Status status;
  status.running = parts_->runner->total();
  if (!parts_->started) {
    status.why_not = "the engine has not started yet";
  } else if (parts_->stopping) {
    status.why_not = "the server is stopping";
  } else if (!parts_->database_answers) {
    status.why_not = "the database does not answer";
  } else if (!parts_->may_start()) {
    status.why_not = "the database has not answered a heartbeat for too long";
  }
  status.ready = status.why_not.empty();
  return status;
}

}  // namespace waybill::engine
