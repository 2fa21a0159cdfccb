#pragma once

#include <absl/status/status.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/catalog.h"
#include "waybill/engine/wakeup.h"
#include "waybill/ports/catalog_store.h"

namespace waybill::engine {

struct EngineParts;

// How often the overrides are read without a notice.
inline const absl::Duration kCatalogLook = absl::Seconds(30);

// The catalog as it counts now, and what it was made of. io thread only.
class CatalogState {
 public:
  explicit CatalogState(EngineParts& parts);

  Wakeup wake;  // an override was put or dropped, here or elsewhere

  std::shared_ptr<const domain::Catalog> current = std::make_shared<const domain::Catalog>();
  domain::Catalog base;  // the config's entries, with revisions

  // Reads the overrides, lays them over the base, keeps revisions that are new in the store, and makes that
  // current. Of several at the same time the one that was asked for last counts.
  Task<absl::Status> read();

 private:
  Task<absl::Status> keep_revisions(std::shared_ptr<const domain::Catalog> catalog);

  EngineParts& parts_;
  std::set<std::string> kept_;  // revisions that are in the store
  int asked_ = 0;
  int answered_ = 0;
};

// The base with the overrides over it; an override that can't be read is left out and named in `broken`.
[[nodiscard]] domain::Catalog laid_over(const domain::Catalog& base,
                                        const std::vector<ports::CatalogOverride>& overrides,
                                        std::vector<std::string>& broken);

// Fills in the revision of every entry, and `now` where it has no times.
[[nodiscard]] domain::Catalog with_revisions(domain::Catalog catalog, absl::Time now);

}  // namespace waybill::engine
