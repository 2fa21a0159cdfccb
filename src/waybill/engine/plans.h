#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "waybill/base/task.h"
#include "waybill/domain/catalog.h"
#include "waybill/domain/job.h"
#include "waybill/engine/attributes.h"
#include "waybill/ports/executor.h"

namespace waybill::engine {

struct EngineParts;

// All that is alike for the jobs of one pair of revisions: made once, used by each.
struct Plan {
  std::shared_ptr<const domain::Command> command;  // secret references unresolved
  std::shared_ptr<const domain::Cluster> cluster;
  std::shared_ptr<const AttributeSet> attributes;
  ports::Executor* executor = nullptr;  // of the command's plugin; nullptr: not on this instance
  bool has_secrets = false;
};

class Plans {
 public:
  explicit Plans(EngineParts& parts) : parts_(parts) {}

  [[nodiscard]] std::shared_ptr<const Plan> make(std::shared_ptr<const domain::Command> command,
                                                 std::shared_ptr<const domain::Cluster> cluster);
  // By the revisions that the job was submitted with, read from the store where they are no longer current.
  Task<absl::StatusOr<std::shared_ptr<const Plan>>> of(domain::JobRoute route);
  // With secrets resolved (on the pool where there are any): never log it.
  Task<absl::StatusOr<std::shared_ptr<const ports::JobRequest>>> request(std::shared_ptr<const Plan> plan,
                                                                         domain::Job job);

  // A cluster for a health probe, secrets resolved.
  Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> resolved_cluster(
      std::shared_ptr<const domain::Cluster> cluster);

 private:
  EngineParts& parts_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Plan>> plans_;
};

// Contexts laid over each other, the later one wins; objects are merged member by member, everything else is
// replaced.
void merge_context(boost::json::object& into, const boost::json::object& over);

}  // namespace waybill::engine
