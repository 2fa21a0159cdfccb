#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/domain/catalog.h"
#include "waybill/domain/job.h"
#include "waybill/engine/health_service.h"
#include "waybill/engine/submit.h"
#include "waybill/ports/catalog_store.h"
#include "waybill/ports/job_store.h"

namespace waybill::engine {
class Engine;
}

namespace waybill::rest {

// What the REST API asks of the engine; its words are those of engine/*.h. An interface, so that the API is
// tested without one.
class Gateway {
 public:
  using JobAnswer = absl::StatusOr<domain::Job>;
  using CommandAnswer = absl::StatusOr<std::shared_ptr<const domain::Command>>;
  using ClusterAnswer = absl::StatusOr<std::shared_ptr<const domain::Cluster>>;

  virtual ~Gateway() = default;
  virtual Task<absl::StatusOr<engine::Submitted>> submit(engine::SubmitRequest request,
                                                         domain::Caller caller) = 0;
  virtual Task<absl::StatusOr<std::vector<absl::StatusOr<engine::Submitted>>>> submit_all(
      std::vector<domain::JobSpec> specs, bool atomic, std::string idempotency_key,
      domain::Caller caller) = 0;
  virtual Task<absl::StatusOr<engine::Submitted>> rerun(JobId id, std::optional<boost::json::object> context,
                                                        domain::Caller caller,
                                                        std::string idempotency_key) = 0;

  virtual Task<JobAnswer> cancel(JobId id, domain::Caller caller) = 0;
  virtual Task<std::vector<std::pair<JobId, JobAnswer>>> cancel_all(std::vector<JobId> ids,
                                                                    domain::Caller caller) = 0;
  virtual Task<absl::StatusOr<std::vector<std::pair<JobId, JobAnswer>>>> cancel_matching(
      ports::JobFilter filter, domain::Caller caller) = 0;

  // Attributes once more, over the outputs that were kept. Admins only.
  virtual Task<JobAnswer> render_again(JobId id, domain::Caller by) = 0;

  [[nodiscard]] virtual std::shared_ptr<const domain::Catalog> catalog() const = 0;
  virtual Task<CommandAnswer> put_command(domain::Command entry, domain::Caller by) = 0;
  virtual Task<ClusterAnswer> put_cluster(domain::Cluster entry, domain::Caller by) = 0;
  virtual Task<CommandAnswer> put_status(CommandId id, domain::EntryStatus status, domain::Caller by) = 0;
  virtual Task<ClusterAnswer> put_status(ClusterId id, domain::EntryStatus status, domain::Caller by) = 0;
  virtual Task<absl::Status> drop_override(ports::EntryKind kind, std::string id, domain::Caller by) = 0;

  virtual Task<std::vector<engine::HealthCheck>> check_all() = 0;
  virtual Task<absl::StatusOr<std::vector<engine::HealthCheck>>> check(ClusterId id) = 0;
  [[nodiscard]] virtual bool healthy(const ClusterId& id) const = 0;

  // OK, or why this instance takes no calls now.
  [[nodiscard]] virtual absl::Status ready() const = 0;
  [[nodiscard]] virtual int running() const = 0;  // jobs this instance follows
};

// The real one. `engine` outlives it.
[[nodiscard]] std::unique_ptr<Gateway> make_gateway(engine::Engine& engine);

}  // namespace waybill::rest
