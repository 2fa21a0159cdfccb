#include "waybill/storage/catalog_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

using ports::EntryKind;

std::string word(EntryKind kind) { return kind == EntryKind::kCommand ? "command" : "cluster"; }
EntryKind kind_of(const std::string& word) {
  return word == "command" ? EntryKind::kCommand : EntryKind::kCluster;
}

absl::StatusOr<ports::CatalogOverride> override_of(const Row& row) {
  ports::CatalogOverride entry;
  entry.kind = kind_of(as_text(row[0]));
  entry.id = as_text(row[1]);
  if (!is_null(row[2])) {
    WB_ASSIGN(entry.body, parse_json(as_text(row[2]), {.depth = 256}));
  }
  entry.status = as_text(row[3]);
  entry.base_revision = as_text(row[4]);
  entry.user = as_text(row[5]);
  entry.created_at = to_time(row[6]);
  entry.updated_at = to_time(row[7]);
  return entry;
}

}  // namespace

Task<absl::StatusOr<std::vector<ports::CatalogOverride>>> SqlCatalogStore::overrides() {
  Call call{"overrides", {}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  std::vector<ports::CatalogOverride> out;
  for (const Row& row : *rows) {
    WB_CO_ASSIGN(ports::CatalogOverride entry, override_of(row));
    out.push_back(std::move(entry));
  }
  co_return out;
}

Task<absl::StatusOr<ports::CatalogOverride>> SqlCatalogStore::put_override(ports::CatalogOverride entry) {
  std::vector<Call> calls;
  calls.push_back({"put_override",
                   {{"kind", word(entry.kind)},
                    {"id", entry.id},
                    {"body", entry.body.is_null() ? Value() : Value(boost::json::serialize(entry.body))},
                    {"status", entry.status},
                    {"base_revision", entry.base_revision},
                    {"username", entry.user}}});
  std::vector<ports::ChangeNotice> notices;
  notices.push_back({ports::ChangeKind::kCatalogChanged, entry.id});
  const auto rows = co_await write_calls(writer_, std::move(calls), std::move(notices));
  WB_CO_TRY(rows);
  co_return override_of(rows->front().front());
}

Task<absl::Status> SqlCatalogStore::drop_override(EntryKind kind, std::string id) {
  std::vector<Call> calls;
  calls.push_back({"drop_override", {{"kind", word(kind)}, {"id", id}}});
  std::vector<ports::ChangeNotice> notices;
  notices.push_back({ports::ChangeKind::kCatalogChanged, id});
  const auto rows = co_await write_calls(writer_, std::move(calls), std::move(notices));
  WB_CO_TRY(rows);
  if (rows->front().empty()) {
    co_return not_found(fmt::format("{} \"{}\" has no override: nothing was PUT over it", word(kind), id));
  }
  co_return absl::OkStatus();
}

Task<absl::Status> SqlCatalogStore::keep_revisions(std::vector<ports::CatalogRevision> revisions) {
  std::vector<Call> calls;
  for (const ports::CatalogRevision& revision : revisions) {
    calls.push_back({"keep_revision",
                     {{"hash", revision.hash},
                      {"kind", word(revision.kind)},
                      {"body", boost::json::serialize(revision.body)}},
                     "revision " + revision.hash});
  }
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

Task<absl::StatusOr<std::optional<ports::CatalogRevision>>> SqlCatalogStore::revision(std::string hash) {
  Call call{"get_revision", {{"hash", std::move(hash)}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  if (rows->empty()) co_return std::optional<ports::CatalogRevision>();
  const Row& row = rows->front();
  ports::CatalogRevision found;
  found.hash = as_text(row[0]);
  found.kind = kind_of(as_text(row[1]));
  WB_CO_ASSIGN(found.body, parse_json(as_text(row[2]), {.depth = 256}));
  co_return std::optional<ports::CatalogRevision>(std::move(found));
}

}  // namespace waybill::storage
