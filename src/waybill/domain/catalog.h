#pragma once

#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/domain/attribute.h"

namespace waybill::domain {

enum class EntryStatus { kActive = 1, kInactive, kDeleted };
[[nodiscard]] std::string_view to_string(EntryStatus status);                        // "ACTIVE", …
[[nodiscard]] std::optional<EntryStatus> parse_entry_status(std::string_view word);  // any case

enum class EntryOrigin { kConfig, kOverride, kApi };  // kOverride: PUT over a config entry; kApi: only PUT
[[nodiscard]] std::string_view to_string(EntryOrigin origin);  // "config", …

// Members that commands and clusters share.
struct Entry {
  std::string name;
  std::string version;
  std::string description;
  std::string user;  // who wrote it last; of config entries: its `user`, by default "heimdall"
  EntryStatus status = EntryStatus::kActive;
  std::vector<std::string> tags;  // sorted, no doubles, own ones
  std::optional<boost::json::object> context;
  std::vector<AttributeTemplate> attributes;  // in config order
  absl::Time created_at;
  absl::Time updated_at;
  EntryOrigin origin = EntryOrigin::kConfig;
  std::string revision;  // SHA-256 of the canonical entry, secret references unresolved
};

struct Command : Entry {
  CommandId id;
  std::string plugin;
  bool is_sync = false;
  bool store_result_sync = false;
  std::vector<std::string> cluster_tags;     // sorted, no doubles
  std::vector<std::string> allowed_callers;  // RE2, anchored; empty: everyone
  std::vector<std::string> locked_context;   // keys that a job may not set here
  absl::Duration timeout = absl::ZeroDuration();
  int max_attempts = 1;
};

struct Cluster : Entry {
  ClusterId id;
  bool health_check = false;
  double weight = 1;
  std::vector<std::string> rbacs;
};

// One consistent picture of all commands and clusters, shared by const pointer: a decision takes one and
// keeps it.
struct Catalog {
  std::map<CommandId, std::shared_ptr<const Command>> commands;
  std::map<ClusterId, std::shared_ptr<const Cluster>> clusters;
};

}  // namespace waybill::domain
