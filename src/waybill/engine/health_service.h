#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <memory>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/catalog.h"

namespace waybill::engine {

struct EngineParts;

struct HealthCheck {
  ClusterId cluster_id;
  std::string cluster_name;
  std::string plugin;
  std::string status;  // "ok", "error", "unchecked"
  std::string error;
  absl::Duration latency;
};

// Probes clusters with `health_check: true` through the plugin of an active command that matches them.
class HealthService {
 public:
  explicit HealthService(std::shared_ptr<EngineParts> parts);

  Task<std::vector<HealthCheck>> check_all();
  // NotFound "unknown cluster_id: X"; FailedPrecondition "health check is not enabled for cluster X",
  // "no active command matched cluster X".
  Task<absl::StatusOr<std::vector<HealthCheck>>> check(ClusterId id);
  // What the last probe said; unknown counts as healthy. For routing.
  [[nodiscard]] bool healthy(const ClusterId& id) const;

 private:
  std::shared_ptr<EngineParts> parts_;
};

}  // namespace waybill::engine
