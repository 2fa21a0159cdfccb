#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/domain/catalog.h"
#include "waybill/ports/catalog_store.h"

namespace waybill::engine {

struct EngineParts;

// The catalog that counts now: the config's entries with the overrides that were PUT over them. io thread
// only.
class CatalogService {
 public:
  explicit CatalogService(std::shared_ptr<EngineParts> parts);

  // Entries with status DELETED are in it. Contexts hold secret references unresolved; mask before showing.
  [[nodiscard]] std::shared_ptr<const domain::Catalog> current() const;

  // Sets the config's entries (start, SIGHUP), keeps their revisions and reads the overrides. An override
  // whose config entry has changed is dropped and audited.
  Task<absl::Status> load(domain::Catalog base);
  Task<absl::Status> refresh();  // overrides only; after a notice that another instance changed them

  // PUT: the whole entry. Checks names, tags, plugin, patterns and templates. catalog_writers only.
  Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> put_command(domain::Command entry,
                                                                           domain::Caller by);
  Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> put_cluster(domain::Cluster entry,
                                                                           domain::Caller by);
  Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> put_status(CommandId id,
                                                                          domain::EntryStatus status,
                                                                          domain::Caller by);
  Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> put_status(ClusterId id,
                                                                          domain::EntryStatus status,
                                                                          domain::Caller by);
  // Back to the config's entry. Admins only. NotFound "no_override".
  Task<absl::Status> drop_override(ports::EntryKind kind, std::string id, domain::Caller by);

  // The entry as it was when a job was submitted, also if it has gone from the config since.
  Task<absl::StatusOr<std::shared_ptr<const domain::Command>>> command_at(std::string revision);
  Task<absl::StatusOr<std::shared_ptr<const domain::Cluster>>> cluster_at(std::string revision);

 private:
  std::shared_ptr<EngineParts> parts_;
};

}  // namespace waybill::engine
