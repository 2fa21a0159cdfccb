#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"

namespace waybill::ports {

enum class EntryKind { kCommand, kCluster };

// What was PUT over the config, or beside it.
struct CatalogOverride {
  EntryKind kind = EntryKind::kCommand;
  std::string id;
  boost::json::value body;    // the whole entry, as in config; null: only the status was PUT
  std::string status;         // "ACTIVE", …; "" : the body's
  std::string base_revision;  // of the config's entry when it was PUT; "" : config had none. Changed: drop it
  std::string user;
  absl::Time created_at;
  absl::Time updated_at;
};

struct CatalogRevision {
  std::string hash;
  EntryKind kind = EntryKind::kCommand;
  boost::json::value body;  // canonical entry, secret references unresolved
};

class CatalogStore {
 public:
  virtual ~CatalogStore() = default;
  virtual Task<absl::StatusOr<std::vector<CatalogOverride>>> overrides() = 0;
  virtual Task<absl::StatusOr<CatalogOverride>> put_override(
      CatalogOverride entry) = 0;  // upsert; tells all instances
  virtual Task<absl::Status> drop_override(EntryKind kind, std::string id) = 0;  // NotFound if there is none
  virtual Task<absl::Status> keep_revisions(std::vector<CatalogRevision> revisions) = 0;  // idempotent
  virtual Task<absl::StatusOr<std::optional<CatalogRevision>>> revision(std::string hash) = 0;
};

}  // namespace waybill::ports
