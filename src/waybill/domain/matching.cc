#include "waybill/domain/matching.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/domain/job.h"

namespace waybill::domain {
namespace {

constexpr std::size_t kNearMisses = 5;

bool is_system_tag(const Entry& entry, const std::string& id, std::string_view tag) {
  const auto is = [tag](std::string_view prefix, std::string_view value) {
    return tag.size() == prefix.size() + value.size() && tag.substr(0, prefix.size()) == prefix &&
           tag.substr(prefix.size()) == value;
  };
  return is("_id:", id) || is("_name:", entry.name) || is("_version:", entry.version);
}

template <class Kind>
bool has_tag(const Kind& entry, const std::string& tag) {
  return std::binary_search(entry.tags.begin(), entry.tags.end(), tag) ||
         is_system_tag(entry, entry.id.str(), tag);
}

template <class Kind>
bool has_all(const Kind& entry, const std::vector<std::string>& tags) {
  return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) { return has_tag(entry, tag); });
}

template <class Kind>
bool serves(const Kind& entry, const std::vector<std::string>& criteria) {
  return entry.status == EntryStatus::kActive && has_all(entry, criteria);
}

// Healthy ones first.
std::vector<Pair> matching_pairs(const Catalog& catalog, const Criteria& command_criteria,
                                 const Criteria& cluster_criteria, const Health& health) {
  std::vector<Pair> pairs;
  if (!command_criteria || !cluster_criteria) return pairs;
  std::vector<std::pair<std::shared_ptr<const Cluster>, bool>> clusters;
  for (const auto& [id, cluster] : catalog.clusters) {
    if (serves(*cluster, *cluster_criteria)) clusters.emplace_back(cluster, !health || health(id));
  }
  std::vector<Pair> unhealthy;
  for (const auto& [id, command] : catalog.commands) {
    if (!serves(*command, *command_criteria)) continue;
    for (const auto& [cluster, healthy] : clusters) {
      if (!may_meet(*command, *cluster)) continue;
      (healthy ? pairs : unhealthy).push_back({command, cluster, healthy});
    }
  }
  pairs.insert(pairs.end(), unhealthy.begin(), unhealthy.end());
  return pairs;
}

// The best class only (healthy ones if there are any), in proportion to weight; all of weight 0 are alike.
const Pair& draw(const std::vector<Pair>& pairs, const Dice& dice) {
  const auto last = std::find_if(pairs.begin(), pairs.end(),
                                 [&](const Pair& pair) { return pair.healthy != pairs.front().healthy; });
  double sum = 0;
  for (auto pair = pairs.begin(); pair != last; ++pair) sum += std::max(0.0, pair->cluster->weight);
  const double thrown = dice();
  if (sum <= 0) {
    const auto count = static_cast<std::size_t>(last - pairs.begin());
    return pairs[std::min(count - 1, static_cast<std::size_t>(thrown * static_cast<double>(count)))];
  }
  double left = thrown * sum;
  const Pair* chosen = nullptr;
  for (auto pair = pairs.begin(); pair != last; ++pair) {
    const double weight = std::max(0.0, pair->cluster->weight);
    if (weight <= 0) continue;
    chosen = &*pair;
    if (left < weight) break;
    left -= weight;
  }
  return *chosen;
}

// What `entry` lacks of `criteria` and of being active.
template <class Kind>
void add_missing(const Kind& entry, const std::vector<std::string>& criteria,
                 std::vector<std::string>& missing) {
  if (entry.status != EntryStatus::kActive) {
    missing.push_back(fmt::format("status {}", to_string(entry.status)));
  }
  for (const std::string& tag : criteria) {
    if (!has_tag(entry, tag)) missing.push_back(tag);
  }
}

std::vector<std::string> missing_of(const Command& command, const Cluster& cluster,
                                    const Criteria& command_criteria, const Criteria& cluster_criteria) {
  std::vector<std::string> missing;
  if (!command_criteria) missing.emplace_back("command_criteria (absent ones match nothing)");
  if (!cluster_criteria) missing.emplace_back("cluster_criteria (absent ones match nothing)");
  add_missing(command, command_criteria.value_or(std::vector<std::string>()), missing);
  std::vector<std::string> wanted = cluster_criteria.value_or(std::vector<std::string>());
  wanted.insert(wanted.end(), command.cluster_tags.begin(), command.cluster_tags.end());
  add_missing(cluster, sorted_unique(std::move(wanted)), missing);
  return missing;
}

std::vector<NearMiss> near_misses(const Catalog& catalog, const Criteria& command_criteria,
                                  const Criteria& cluster_criteria) {
  std::vector<NearMiss> best;
  for (const auto& [command_id, command] : catalog.commands) {
    if (command->status == EntryStatus::kDeleted) continue;
    for (const auto& [cluster_id, cluster] : catalog.clusters) {
      if (cluster->status == EntryStatus::kDeleted) continue;
      std::vector<std::string> missing = missing_of(*command, *cluster, command_criteria, cluster_criteria);
      if (missing.empty()) continue;
      const auto place = std::upper_bound(
          best.begin(), best.end(), missing.size(),
          [](std::size_t count, const NearMiss& miss) { return count < miss.missing.size(); });
      if (place == best.end() && best.size() >= kNearMisses) continue;
      best.insert(place, {command_id.str(), cluster_id.str(), std::move(missing)});
      if (best.size() > kNearMisses) best.pop_back();
    }
  }
  return best;
}

std::string reason_for(const std::vector<Pair>& pairs, const Pair& chosen) {
  if (pairs.size() == 1) return "it is the only pair that matches";
  const auto healthy =
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.healthy; });
  if (!chosen.healthy) return "every pair that matches is unhealthy; drawn in proportion to weight";
  if (healthy == 1) return "it is the only healthy pair of those that match";
  return fmt::format("drawn among {} healthy pairs in proportion to weight", healthy);
}

}  // namespace

bool may_meet(const Command& command, const Cluster& cluster) {
  return has_all(cluster, command.cluster_tags);
}

absl::StatusOr<Pair> choose_route(const Catalog& catalog, const Criteria& command_criteria,
                                  const Criteria& cluster_criteria, const Health& health, const Dice& dice) {
  const std::vector<Pair> pairs = matching_pairs(catalog, command_criteria, cluster_criteria, health);
  if (pairs.empty()) {
    return error(absl::StatusCode::kInvalidArgument, "no_route", "command-cluster pair is not found");
  }
  return draw(pairs, dice);
}

Explanation explain_route(const Catalog& catalog, const Criteria& command_criteria,
                          const Criteria& cluster_criteria, const Health& health, const Dice& dice) {
  Explanation story;
  story.pairs = matching_pairs(catalog, command_criteria, cluster_criteria, health);
  if (story.pairs.empty()) {
    story.why = "command-cluster pair is not found";
  } else {
    story.chosen = draw(story.pairs, dice);
    story.why = reason_for(story.pairs, *story.chosen);
  }
  story.near_misses = near_misses(catalog, command_criteria, cluster_criteria);
  return story;
}

absl::Status may_run(const Command& command, std::string_view caller) {
  if (command.allowed_callers.empty() || matches_any(command.allowed_callers, caller)) {
    return absl::OkStatus();
  }
  return denied("caller is not allowed to run this command");
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const RE2 expression(pattern, RE2::Quiet);
    return expression.ok() && RE2::FullMatch(text, expression);
  });
}

}  // namespace waybill::domain
