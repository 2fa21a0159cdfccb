#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/redact.h"
#include "waybill/engine/attributes.h"
#include "waybill/engine/cancel.h"
#include "waybill/engine/catalog_service.h"
#include "waybill/engine/health_service.h"
#include "waybill/engine/render_job.h"
#include "waybill/engine/submit.h"
#include "waybill/ports/audit_log.h"
#include "waybill/ports/catalog_store.h"
#include "waybill/ports/change_feed.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/event_store.h"
#include "waybill/ports/executor.h"
#include "waybill/ports/job_store.h"
#include "waybill/ports/log_store.h"
#include "waybill/ports/result_store.h"

namespace waybill::engine {

struct EngineOptions {
  InstanceId instance;
  std::string host;     // where host-local jobs run and are found again: InstanceIdentity::home()
  std::string version;  // of the program, for the instance's row
  // Where other servers use the same database: the directories that they must use too.
  std::vector<ports::SharedDirectory> directories;
  std::vector<std::string> roles = {"api", "worker", "watcher", "janitor"};
  int pool_size = 5;                              // host-local jobs running, and start calls in progress
  int max_remote = 10'000;                        // leased remote jobs
  int sync_size = 16;                             // sync jobs of this instance
  absl::Duration poll = absl::Milliseconds(500);  // looks for work without a notice
  absl::Duration heartbeat = absl::Seconds(5);
  absl::Duration lease = absl::Seconds(45);        // janitor.stale_job
  absl::Duration renew_limit = absl::Seconds(30);  // not renewed for so long: starts nothing
  absl::Duration host_lost_after = absl::Minutes(15);
  absl::Duration retention = absl::Hours(24 * 14);  // finished jobs; zero or less: for ever
  absl::Duration event_retention = absl::Hours(24 * 14);
  absl::Duration idempotency = absl::Hours(24);
  absl::Duration start_limit = absl::Minutes(5);  // an executor's start that takes longer counts as unknown
  absl::Duration call_limit = absl::Minutes(1);   // its other calls
  absl::Duration health_timeout = absl::Seconds(30);
  absl::Duration health_interval = absl::Seconds(60);
  int queued_per_user = 0;  // 0: unlimited
  int running_per_user = 0;
  std::size_t max_tags = 64;
  std::size_t tag_bytes = 256;
  std::size_t name_bytes = 256;
  std::size_t context_depth = 32;
  bool keep_outputs = false;
  RenderOptions render;
};

// Everything the engine stands on. References outlive it.
struct EnginePorts {
  ports::JobStore& jobs;
  ports::CatalogStore& catalog;
  ports::EventStore& events;
  ports::AuditLog& audit;
  ports::LogStore& logs;
  ports::ResultStore& results;
  ports::ChangeFeed& changes;
  ports::Clock& clock;
  ports::Executors& executors;
  Pool& pool;  // for work that must not hold the io thread, but rendering
  RenderLanes lanes;
  Log& log;
  const Redactor& redactor;
};

// What the gateway does: takes jobs in, runs them, follows them, keeps how they ended. One per process, on
// one io_context; all calls on its thread unless they say otherwise.
class Engine {
 public:
  Engine(boost::asio::any_io_executor io, EnginePorts ports, EngineOptions options);
  ~Engine();

  Submitter& submitter();
  Canceler& canceler();
  CatalogService& catalog();
  HealthService& health();

  // Registers the instance (FailedPrecondition if another one that lives works with other directories), loads
  // the catalog, adopts this instance's own jobs; then the roles' loops run.
  Task<absl::Status> start(domain::Catalog base);
  // Limits and catalog of a new config; a running job keeps its revision.
  Task<absl::Status> reload(domain::Catalog base, EngineOptions options);
  // Takes no more work and lets go: running jobs go on and are adopted after the next start. Comes back when
  // every write in progress is done.
  Task<void> stop();
  // POST /job/{id}/attributes/render: once more, from the outputs that were kept. Admins only.
  Task<absl::StatusOr<domain::Job>> render_again(JobId id, domain::Caller by);
  // An executor's hint that this job changed. Any thread.
  void nudge(const JobId& id);

  struct Status {
    bool ready = false;  // started, heartbeat fresh
    std::string why_not;
    int running = 0;  // jobs this instance follows
  };
  [[nodiscard]] Status status() const;

 private:
  struct Doors;
  std::shared_ptr<EngineParts> parts_;
  std::unique_ptr<Doors> doors_;
};

}  // namespace waybill::engine
