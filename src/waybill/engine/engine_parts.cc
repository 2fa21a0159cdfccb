#include "waybill/engine/engine_parts.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "waybill/engine/catalog_state.h"
#include "waybill/engine/claimer.h"
#include "waybill/engine/endings.h"
#include "waybill/engine/health_state.h"
#include "waybill/engine/janitor.h"
#include "waybill/engine/leases.h"
#include "waybill/engine/plans.h"
#include "waybill/engine/runner.h"

namespace waybill::engine {

EngineParts::EngineParts(boost::asio::any_io_executor io_executor, EnginePorts the_ports,
                         EngineOptions the_options)
    : io(std::move(io_executor)),
      ports(the_ports),
      options(std::move(the_options)),
      random(std::random_device{}()),
      settled(io),
      catalog(std::make_unique<CatalogState>(*this)),
      health(std::make_unique<HealthState>(io)),
      plans(std::make_unique<Plans>(*this)),
      endings(std::make_unique<Endings>(*this)),
      runner(std::make_unique<Runner>(*this)),
      claimer(std::make_unique<Claimer>(*this)),
      leases(std::make_unique<Leases>(*this)),
      janitor(std::make_unique<Janitor>(*this)) {}

EngineParts::~EngineParts() = default;

void EngineParts::spawn(Task<void> task, std::string_view what) {
  auto ended = [self = shared_from_this(), name = std::string(what)](const std::exception_ptr& problem) {
    if (!problem || self->halted) return;
    try {
      std::rethrow_exception(problem);
    } catch (const std::exception& thrown) {
      self->ports.log.error("a part of the engine ended", {{"part", name}, {"error", thrown.what()}});
    }
  };
  boost::asio::co_spawn(io, std::move(task), std::move(ended));
}

bool EngineParts::has_role(std::string_view role) const {
  return std::find(options.roles.begin(), options.roles.end(), role) != options.roles.end();
}

bool EngineParts::may_start() const {
  return !stopping && !halted && now() - renewed_at < options.renew_limit;
}

ports::TransitionNote EngineParts::note(std::string actor) const {
  return {.actor = std::move(actor), .instance = options.instance.str()};
}

ports::Executor* EngineParts::executor(const std::string& plugin) const {
  const auto found = ports.executors.find(plugin);
  return found == ports.executors.end() ? nullptr : found->second.get();
}

void EngineParts::write_ended() {
  --writes;
  settled.notify();
}

}  // namespace waybill::engine
