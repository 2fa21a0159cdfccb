#include "waybill/engine/plans.h"

#include <iterator>

#include "waybill/base/pool.h"
#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/engine/catalog_service.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostPlans = 1024;

bool holds_secrets(const domain::Entry& entry) {
  return entry.context && holds_secret_reference(json::value(*entry.context));
}

template <class Kind>
absl::StatusOr<std::shared_ptr<const Kind>> resolved(const std::shared_ptr<const Kind>& entry) {
  if (!entry->context) return entry;
  auto copy = std::make_shared<Kind>(*entry);
  WB_ASSIGN(copy->context, resolve_secrets(*entry->context));
  return std::shared_ptr<const Kind>(std::move(copy));
}

absl::StatusOr<std::shared_ptr<const ports::JobRequest>> make_request(const Plan& plan, domain::Job job) {
  auto request = std::make_shared<ports::JobRequest>();
  request->command = plan.command;
  request->cluster = plan.cluster;
  if (plan.has_secrets) {
    WB_ASSIGN(request->command, resolved(plan.command));
    WB_ASSIGN(request->cluster, resolved(plan.cluster));
  }
  if (request->command->context) merge_context(request->context, *request->command->context);
  if (request->cluster->context) merge_context(request->context, *request->cluster->context);
  if (job.spec.context) merge_context(request->context, *job.spec.context);
  request->job = std::move(job);
  return std::shared_ptr<const ports::JobRequest>(std::move(request));
}

}  // namespace

void merge_context(json::object& into, const json::object& over) {
  for (const auto& member : over) {
    json::value& place = into[member.key()];
    if (place.is_object() && member.value().is_object()) {
      merge_context(place.get_object(), member.value().get_object());
    } else {
      place = member.value();
    }
  }
}

std::shared_ptr<const Plan> Plans::make(std::shared_ptr<const domain::Command> command,
                                        std::shared_ptr<const domain::Cluster> cluster) {
  const std::pair<std::string, std::string> key(command->revision, cluster->revision);
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  auto plan = std::make_shared<Plan>();
  auto attributes = AttributeSet::make(command->attributes, cluster->attributes);
  if (!attributes.ok()) {
    // Checked when they were loaded; a revision of an older release may still hold one that is refused now.
    parts_.ports.log.warn("attributes of a stored revision can't be used",
                          {{"command", command->id.str()}, {"error", message(attributes.status())}});
    attributes = AttributeSet::make({}, {});
  }
  plan->attributes = *attributes;
  plan->executor = parts_.executor(command->plugin);
  plan->has_secrets = holds_secrets(*command) || holds_secrets(*cluster);
  plan->command = std::move(command);
  plan->cluster = std::move(cluster);
  if (plans_.size() >= kMostPlans) {
    std::erase_if(plans_, [](const auto& kept) { return kept.second.use_count() == 1; });
  }
  plans_[key] = plan;
  return plan;
}

Task<absl::StatusOr<std::shared_ptr<const Plan>>> Plans::of(domain::JobRoute route) {
  const auto found = plans_.find({route.command_revision, route.cluster_revision});
  if (found != plans_.end()) co_return found->second;
  CatalogService catalog(parts_.shared_from_this());
  auto command = co_await catalog.command_at(route.command_revision);
  if (!command.ok()) co_return command.status();
  auto cluster = co_await catalog.cluster_at(route.cluster_revision);
  if (!cluster.ok()) co_return cluster.status();
  co_return make(*std::move(command), *std::move(cluster));
}

Task<absl::StatusOr<std::shared_ptr<const ports::JobRequest>>> Plans::request(
    std::shared_ptr<const Plan> plan, domain::Job job) {
  if (!plan->has_secrets) co_return make_request(*plan, std::move(job));
  auto work = [plan, job = std::move(job)]() mutable { return make_request(*plan, std::move(job)); };
  auto request = co_await on(parts_.ports.pool, std::move(work));
  co_return request;
}

Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> Plans::resolved_cluster(
    std::shared_ptr<const domain::Cluster> cluster) {
  if (!holds_secrets(*cluster)) co_return cluster;
  auto work = [cluster] { return resolved(cluster); };
  auto answer = co_await on(parts_.ports.pool, std::move(work));
  co_return answer;
}

}  // namespace waybill::engine
