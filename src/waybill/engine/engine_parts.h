#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "waybill/base/ids.h"
#include "waybill/base/task.h"
#include "waybill/engine/engine.h"
#include "waybill/engine/wakeup.h"

namespace waybill::engine {

class CatalogState;
class HealthState;
class Plans;
class Endings;
class Runner;
class Claimer;
class Leases;
class Janitor;

// What the parts of one engine share. Held by shared_ptr by the doors and by every coroutine that runs, so
// that what is in flight when the Engine goes away finds it still there; `halted` then tells it to end. io
// thread only.
struct EngineParts : std::enable_shared_from_this<EngineParts> {
  EngineParts(boost::asio::any_io_executor io_executor, EnginePorts the_ports, EngineOptions the_options);
  ~EngineParts();

  // Runs `task` beside everything else and keeps this alive until it ends. What it throws is logged under
  // `what`.
  void spawn(Task<void> task, std::string_view what);
  // Whether this instance has a role ("worker").
  [[nodiscard]] bool has_role(std::string_view role) const;
  // Whether the lease is fresh enough to start a run; with an old one another instance may have taken it
  // over.
  [[nodiscard]] bool may_start() const;
  [[nodiscard]] ports::TransitionNote note(std::string actor = "waybill") const;
  [[nodiscard]] ports::Executor* executor(const std::string& plugin) const;  // nullptr: unknown here
  [[nodiscard]] absl::Time now() const { return ports.clock.now(); }
  void write_began() { ++writes; }
  void write_ended();

  boost::asio::any_io_executor io;
  EnginePorts ports;
  EngineOptions options;
  IdGenerator ids;
  std::mt19937_64 random;

  bool started = false;
  bool stopping = false;                         // takes no new work and starts nothing
  bool halted = false;                           // does nothing at all any more
  absl::Time renewed_at = absl::InfinitePast();  // when the last heartbeat that arrived was sent
  bool database_answers = true;                  // whether the last heartbeat arrived
  int writes = 0;                                // writes of jobs in progress
  Wakeup settled;                                // a write or a start call came to its end

  std::unique_ptr<CatalogState> catalog;
  std::unique_ptr<HealthState> health;
  std::unique_ptr<Plans> plans;
  std::unique_ptr<Endings> endings;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Claimer> claimer;
  std::unique_ptr<Leases> leases;
  std::unique_ptr<Janitor> janitor;
};

}  // namespace waybill::engine
