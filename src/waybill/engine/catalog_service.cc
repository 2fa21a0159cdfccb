#include "waybill/engine/catalog_service.h"

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/domain/catalog_json.h"
#include "waybill/domain/job.h"
#include "waybill/engine/catalog_checks.h"
#include "waybill/engine/catalog_state.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace {

using ports::CatalogOverride;
using ports::EntryKind;

absl::Status check_writer(const domain::Caller& by) {
  if (by.may_write_catalog || by.is_admin) return absl::OkStatus();
  return denied("caller is not allowed to change the catalog (auth.catalog_writers)");
}

// The config's revision of an entry; "" if it has none.
std::string base_revision(const domain::Catalog& base, EntryKind kind, const std::string& id) {
  if (kind == EntryKind::kCommand) {
    const auto found = base.commands.find(CommandId(id));
    return found == base.commands.end() ? "" : found->second->revision;
  }
  const auto found = base.clusters.find(ClusterId(id));
  return found == base.clusters.end() ? "" : found->second->revision;
}

template <class Entry>
CatalogOverride override_of(const Entry& entry, EntryKind kind, const domain::Catalog& base,
                            const domain::Caller& by) {
  CatalogOverride over;
  over.kind = kind;
  over.id = entry.id.str();
  over.body = to_json(entry);
  over.base_revision = base_revision(base, kind, over.id);
  over.user = by.name;
  return over;
}

template <class Entries>
auto find_in(const Entries& entries, const typename Entries::key_type& id, const char* unknown)
    -> absl::StatusOr<typename Entries::mapped_type> {
  const auto found = entries.find(id);
  if (found == entries.end()) return not_found(unknown);
  return found->second;
}

// What a PUT of a status leaves of an earlier PUT of the entry.
Task<absl::Status> put_status_override(std::shared_ptr<EngineParts> parts, EntryKind kind, std::string id,
                                       domain::EntryStatus status, domain::Caller by) {
  auto known = co_await parts->ports.catalog.overrides();
  if (!known.ok()) co_return known.status();
  CatalogOverride over;
  over.kind = kind;
  over.id = id;
  over.base_revision = base_revision(parts->catalog->base, kind, id);
  for (const CatalogOverride& earlier : *known) {
    if (earlier.kind == kind && earlier.id == id) over = earlier;
  }
  over.status = std::string(to_string(status));
  over.user = by.name;
  auto put = co_await parts->ports.catalog.put_override(std::move(over));
  if (!put.ok()) co_return put.status();
  co_return co_await parts->catalog->read();
}

}  // namespace

CatalogService::CatalogService(std::shared_ptr<EngineParts> parts) : parts_(std::move(parts)) {}

std::shared_ptr<const domain::Catalog> CatalogService::current() const { return parts_->catalog->current; }

Task<absl::Status> CatalogService::load(domain::Catalog base) {
  const std::shared_ptr<EngineParts> parts = parts_;
  domain::Catalog fresh = with_revisions(std::move(base), parts->now());
  auto overrides = co_await parts->ports.catalog.overrides();
  if (!overrides.ok()) co_return overrides.status();
  for (const CatalogOverride& over : *overrides) {
    if (over.base_revision == base_revision(fresh, over.kind, over.id)) continue;
    const absl::Status dropped = co_await parts->ports.catalog.drop_override(over.kind, over.id);
    if (!dropped.ok() && !absl::IsNotFound(dropped)) co_return dropped;
    const char* kind = over.kind == EntryKind::kCommand ? "command" : "cluster";
    ports::AuditEntry entry;
    entry.who = "waybill";
    entry.what =
        std::string(kind) + " " + over.id + ": override of " + over.user + " dropped, the config changed";
    entry.outcome = "ok";
    parts->ports.log.warn("an override is dropped: the config's entry has changed", {{kind, over.id}});
    const absl::Status audited = co_await parts->ports.audit.append(std::move(entry));
    if (!audited.ok()) co_return audited;
  }
  parts->catalog->base = std::move(fresh);
  co_return co_await parts->catalog->read();
}

Task<absl::Status> CatalogService::refresh() {
  const std::shared_ptr<EngineParts> parts = parts_;
  co_return co_await parts->catalog->read();
}

Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> CatalogService::put_command(
    domain::Command entry, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  WB_CO_TRY(check_writer(by));
  WB_CO_TRY(check_command(entry, parts->options, parts->ports.executors));
  entry.tags = domain::sorted_unique(std::move(entry.tags));
  entry.cluster_tags = domain::sorted_unique(std::move(entry.cluster_tags));
  CatalogOverride over = override_of(entry, EntryKind::kCommand, parts->catalog->base, by);
  auto put = co_await parts->ports.catalog.put_override(std::move(over));
  if (!put.ok()) co_return put.status();
  const absl::Status read = co_await parts->catalog->read();
  if (!read.ok()) co_return read;
  co_return find_in(parts->catalog->current->commands, entry.id, "unknown command_id");
}

Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> CatalogService::put_cluster(
    domain::Cluster entry, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  WB_CO_TRY(check_writer(by));
  WB_CO_TRY(check_cluster(entry, parts->options, parts->ports.executors, *parts->catalog->current));
  entry.tags = domain::sorted_unique(std::move(entry.tags));
  CatalogOverride over = override_of(entry, EntryKind::kCluster, parts->catalog->base, by);
  auto put = co_await parts->ports.catalog.put_override(std::move(over));
  if (!put.ok()) co_return put.status();
  const absl::Status read = co_await parts->catalog->read();
  if (!read.ok()) co_return read;
  co_return find_in(parts->catalog->current->clusters, entry.id, "unknown cluster_id");
}

Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> CatalogService::put_status(
    CommandId id, domain::EntryStatus status, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  WB_CO_TRY(check_writer(by));
  WB_CO_TRY(find_in(parts->catalog->current->commands, id, "unknown command_id"));
  const absl::Status put = co_await put_status_override(parts, EntryKind::kCommand, id.str(), status, by);
  if (!put.ok()) co_return put;
  co_return find_in(parts->catalog->current->commands, id, "unknown command_id");
}

Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> CatalogService::put_status(
    ClusterId id, domain::EntryStatus status, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  WB_CO_TRY(check_writer(by));
  WB_CO_TRY(find_in(parts->catalog->current->clusters, id, "unknown cluster_id"));
  const absl::Status put = co_await put_status_override(parts, EntryKind::kCluster, id.str(), status, by);
  if (!put.ok()) co_return put;
  co_return find_in(parts->catalog->current->clusters, id, "unknown cluster_id");
}

Task<absl::Status> CatalogService::drop_override(EntryKind kind, std::string id, domain::Caller by) {
  const std::shared_ptr<EngineParts> parts = parts_;
  if (!by.is_admin) co_return denied("caller is not an admin: only admins drop overrides");
  const absl::Status dropped = co_await parts->ports.catalog.drop_override(kind, id);
  if (absl::IsNotFound(dropped)) {
    co_return error(absl::StatusCode::kNotFound, "no_override", "there is no override of \"" + id + "\"");
  }
  if (!dropped.ok()) co_return dropped;
  co_return co_await parts->catalog->read();
}

Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> CatalogService::command_at(
    std::string revision) {
  const std::shared_ptr<EngineParts> parts = parts_;
  for (const auto& [id, command] : parts->catalog->current->commands) {
    if (command->revision == revision) co_return command;
  }
  auto stored = co_await parts->ports.catalog.revision(revision);
  if (!stored.ok()) co_return stored.status();
  if (!stored->has_value()) co_return not_found("the command's revision " + revision + " is not stored");
  WB_CO_ASSIGN(domain::Command command, domain::command_from_json((*stored)->body));
  command.revision = revision;
  co_return std::make_shared<const domain::Command>(std::move(command));
}

Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> CatalogService::cluster_at(
    std::string revision) {
  const std::shared_ptr<EngineParts> parts = parts_;
  for (const auto& [id, cluster] : parts->catalog->current->clusters) {
    if (cluster->revision == revision) co_return cluster;
  }
  auto stored = co_await parts->ports.catalog.revision(revision);
  if (!stored.ok()) co_return stored.status();
  if (!stored->has_value()) co_return not_found("the cluster's revision " + revision + " is not stored");
  WB_CO_ASSIGN(domain::Cluster cluster, domain::cluster_from_json((*stored)->body));
  cluster.revision = revision;
  co_return std::make_shared<const domain::Cluster>(std::move(cluster));
}

}  // namespace waybill::engine
