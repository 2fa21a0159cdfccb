#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/catalog.h"
#include "waybill/domain/job.h"
#include "waybill/domain/result_table.h"

namespace waybill::ports {

// All that an executor may know of a job. Secrets are resolved in here: never log it.
struct JobRequest {
  domain::Job job;                                 // id and state.attempt name the run
  std::shared_ptr<const domain::Command> command;  // of the revision fixed at submit, secrets resolved
  std::shared_ptr<const domain::Cluster> cluster;
  boost::json::object context;  // merged: command, cluster, job; later wins
};

enum class RunPhase {
  kPending,  // accepted by the system behind, not yet running
  kRunning,
  kSucceeded,
  kFailed,   // the job's own failure
  kEnded,    // from outside; `reason` says why
  kUnknown,  // there is no such run
};

// What is the case now. Outputs hold all that is known, each time (a restart brings them back).
struct Observation {
  RunPhase phase = RunPhase::kPending;
  domain::EndReason reason = domain::EndReason::kNone;
  std::string error;
  domain::Outputs outputs;
  std::shared_ptr<const domain::ResultTable> result;  // at the end, if there is one
};

struct StartResult {
  domain::ExecutorHandle handle;
  std::optional<Observation> outcome;  // a start that already brought the end (ping)
};

enum class ContextType { kString, kStringList, kInteger, kNumber, kBool, kObject, kAny };
enum class ContextLevel : unsigned { kCommand = 1, kCluster = 2, kJob = 4 };

// A context key as the executor declares it; config check, docs and the submit check read this.
struct ContextKey {
  std::string name;
  ContextType type = ContextType::kAny;
  unsigned levels = 0;  // ContextLevel bits that may set it
  bool secret = false;
  std::string what;     // one sentence
  std::string example;  // YAML
  // Beyond the type, of a value that has it: InvalidArgument says what is wrong, never a value of a secret
  // key. Members of it may be references to secrets (base/secret.h).
  std::function<absl::Status(const boost::json::value& value)> check = {};
};

struct ExecutorTraits {
  std::string plugin;             // "shell"
  bool host_local = false;        // runs live on the host that started them
  bool restartable_start = true;  // start may be repeated safely after a crash
  std::vector<ContextKey> keys;
  std::vector<std::string>
      outputs;  // keys it publishes, for docs and config check; others may come at run time
  absl::Duration poll_min = absl::Seconds(1);
  absl::Duration poll_max = absl::Seconds(30);  // observe at least this often, without a nudge
};

// Of the configuration; a reload may change them.
struct RunLimits {
  std::uint64_t log_bytes = 104'857'600;  // limits.log_bytes, of each stream of an attempt
  std::size_t result_rows = 100'000;      // limits.result_rows
  std::size_t result_bytes = 67'108'864;  // limits.result_bytes
};

// Runs jobs somewhere. Level-triggered: observe says what is, not what happened. All calls may be repeated;
// start with a (job id, attempt) that already runs returns the handle of that run. Called on the io thread;
// never blocks it.
class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual const ExecutorTraits& traits() const = 0;

  // Whether the merged context makes sense; before anything runs. InvalidArgument with the key and what is
  // allowed.
  [[nodiscard]] virtual absl::Status validate(const JobRequest& request) const = 0;

  virtual Task<absl::StatusOr<StartResult>> start(std::shared_ptr<const JobRequest> request) = 0;
  virtual Task<absl::StatusOr<Observation>> observe(std::shared_ptr<const JobRequest> request,
                                                    domain::ExecutorHandle handle) = 0;
  // Asks for the end; observe tells when the run is gone.
  virtual Task<absl::Status> cancel(std::shared_ptr<const JobRequest> request,
                                    domain::ExecutorHandle handle) = 0;
  // Removes what the run left outside the log and result stores, after its end was stored. Idempotent.
  virtual Task<absl::Status> cleanup(std::shared_ptr<const JobRequest> request,
                                     domain::ExecutorHandle handle) = 0;
  // Health probe of a cluster, at most 30 s.
  virtual Task<absl::Status> check(std::shared_ptr<const domain::Cluster> cluster) = 0;

  // For runs that start, and results that are read, from now on. One without logs and results need not
  // listen.
  virtual void set_limits(const RunLimits& /*limits*/) {}
};

// "Look at this job now": what an executor calls when it learns that something changed. Any thread.
using Nudge = std::function<void(const JobId&)>;

// By plugin name.
using Executors = std::map<std::string, std::unique_ptr<Executor>>;

}  // namespace waybill::ports
