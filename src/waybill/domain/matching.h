#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "waybill/domain/catalog.h"

// Which command and cluster a job goes to. Pure: the dice and the health are given.
namespace waybill::domain {

using Criteria =
    std::optional<std::vector<std::string>>;  // nullopt matches nothing, an empty list everything

struct Pair {
  std::shared_ptr<const Command> command;
  std::shared_ptr<const Cluster> cluster;
  bool healthy = true;
};

// A pair that did not match, and what it lacks.
struct NearMiss {
  std::string command;               // id; empty if no command matched at all
  std::string cluster;               // id
  std::vector<std::string> missing;  // tags that are missing, or "status INACTIVE"
};

// A dry run's whole story.
struct Explanation {
  std::vector<Pair> pairs;  // all that match, healthy ones first
  std::optional<Pair> chosen;
  std::string why;                    // one sentence
  std::vector<NearMiss> near_misses;  // at most 5, fewest missing tags first
};

using Health = std::function<bool(const ClusterId&)>;  // unknown counts as healthy
using Dice = std::function<double()>;                  // uniform in [0, 1)

// One of the matching pairs, at random in proportion to the cluster's weight, healthy ones before unhealthy
// ones. InvalidArgument with the word "no_route" and "command-cluster pair is not found" where none matches.
[[nodiscard]] absl::StatusOr<Pair> choose_route(const Catalog& catalog, const Criteria& command_criteria,
                                                const Criteria& cluster_criteria, const Health& health,
                                                const Dice& dice);
[[nodiscard]] Explanation explain_route(const Catalog& catalog, const Criteria& command_criteria,
                                        const Criteria& cluster_criteria, const Health& health,
                                        const Dice& dice);

// Whether jobs of `command` may go to `cluster`: it has all of its cluster_tags. Their states don't count.
[[nodiscard]] bool may_meet(const Command& command, const Cluster& cluster);

// Whether `caller` may run the command. PermissionDenied with "caller is not allowed to run this command".
[[nodiscard]] absl::Status may_run(const Command& command, std::string_view caller);

// Whether one of the RE2 patterns matches the whole text.
[[nodiscard]] bool matches_any(const std::vector<std::string>& patterns, std::string_view text);

}  // namespace waybill::domain
