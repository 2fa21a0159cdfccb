#include "waybill/engine/catalog_state.h"

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/domain/catalog_json.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace {

using domain::EntryOrigin;

template <class Kind>
void give_revision(Kind& entry) {
  entry.revision = domain::revision_of(entry);
}

template <class Kind>
void fill_in(std::shared_ptr<const Kind>& entry, absl::Time now) {
  auto copy = std::make_shared<Kind>(*entry);
  const bool no_time = copy->created_at <= absl::UnixEpoch();
  if (no_time) copy->created_at = now;
  if (no_time || copy->updated_at <= absl::UnixEpoch()) copy->updated_at = copy->created_at;
  give_revision(*copy);
  entry = std::move(copy);
}

// The entry that an override makes of `base` (nullptr: the config has none).
template <class Kind, class Parse>
absl::StatusOr<std::shared_ptr<const Kind>> overridden(const ports::CatalogOverride& over, const Kind* base,
                                                       const Parse& parse) {
  Kind entry;
  if (!over.body.is_null()) {
    WB_ASSIGN(entry, parse(over.body));
    entry.created_at = base != nullptr ? base->created_at : over.created_at;
  } else if (base != nullptr) {
    entry = *base;
  } else {
    return absl::NotFoundError("it only has a status, and the config has no such entry");
  }
  if (!over.status.empty()) {
    const auto status = domain::parse_entry_status(over.status);
    if (!status) return absl::InternalError("its status is not a known one");
    entry.status = *status;
  }
  entry.user = over.user;
  entry.updated_at = over.updated_at;
  entry.origin = base != nullptr ? EntryOrigin::kOverride : EntryOrigin::kApi;
  give_revision(entry);
  return std::shared_ptr<const Kind>(std::make_shared<const Kind>(std::move(entry)));
}

template <class Map, class Parse>
absl::Status lay_over(Map& entries, const typename Map::key_type& id, const ports::CatalogOverride& over,
                      const Parse& parse) {
  const auto base = entries.find(id);
  WB_ASSIGN(auto entry, overridden(over, base == entries.end() ? nullptr : base->second.get(), parse));
  entries[id] = std::move(entry);
  return absl::OkStatus();
}

template <class Kind>
void add_revision(const std::shared_ptr<const Kind>& entry, ports::EntryKind kind,
                  const std::set<std::string>& kept, std::vector<ports::CatalogRevision>& revisions) {
  if (kept.count(entry->revision) > 0) return;
  revisions.push_back({entry->revision, kind, boost::json::value(to_json(*entry))});
}

}  // namespace

domain::Catalog with_revisions(domain::Catalog catalog, absl::Time now) {
  for (auto& [id, command] : catalog.commands) fill_in(command, now);
  for (auto& [id, cluster] : catalog.clusters) fill_in(cluster, now);
  return catalog;
}

domain::Catalog laid_over(const domain::Catalog& base, const std::vector<ports::CatalogOverride>& overrides,
                          std::vector<std::string>& broken) {
  domain::Catalog catalog = base;
  for (const ports::CatalogOverride& over : overrides) {
    const absl::Status laid =
        over.kind == ports::EntryKind::kCommand
            ? lay_over(catalog.commands, CommandId(over.id), over, domain::command_from_json)
            : lay_over(catalog.clusters, ClusterId(over.id), over, domain::cluster_from_json);
    if (!laid.ok()) broken.push_back(over.id + ": " + message(laid));
  }
  return catalog;
}

CatalogState::CatalogState(EngineParts& parts) : wake(parts.io), parts_(parts) {}

Task<absl::Status> CatalogState::read() {
  const int asked = ++asked_;
  auto overrides = co_await parts_.ports.catalog.overrides();
  if (!overrides.ok()) co_return overrides.status();
  std::vector<std::string> broken;
  auto catalog = std::make_shared<const domain::Catalog>(laid_over(base, *overrides, broken));
  for (const std::string& what : broken) {
    parts_.ports.log.error("an override can't be used", {{"override", what}});
  }
  // First in the store: a job must never name a revision that is not there.
  const absl::Status kept = co_await keep_revisions(catalog);
  if (!kept.ok()) co_return kept;
  if (asked < answered_) co_return absl::OkStatus();
  answered_ = asked;
  current = std::move(catalog);
  co_return absl::OkStatus();
}

Task<absl::Status> CatalogState::keep_revisions(std::shared_ptr<const domain::Catalog> catalog) {
  std::vector<ports::CatalogRevision> revisions;
  for (const auto& [id, command] : catalog->commands) {
    add_revision(command, ports::EntryKind::kCommand, kept_, revisions);
  }
  for (const auto& [id, cluster] : catalog->clusters) {
    add_revision(cluster, ports::EntryKind::kCluster, kept_, revisions);
  }
  if (revisions.empty()) co_return absl::OkStatus();
  std::set<std::string> fresh;
  for (const ports::CatalogRevision& revision : revisions) fresh.insert(revision.hash);
  const absl::Status kept = co_await parts_.ports.catalog.keep_revisions(std::move(revisions));
  if (kept.ok()) kept_.merge(fresh);
  co_return kept;
}

}  // namespace waybill::engine
