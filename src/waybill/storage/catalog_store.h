#pragma once

#include "waybill/ports/catalog_store.h"
#include "waybill/storage/reader.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

class SqlCatalogStore : public ports::CatalogStore {
 public:
  SqlCatalogStore(Writer& writer, Reader& reader) : writer_(writer), reader_(reader) {}

  Task<absl::StatusOr<std::vector<ports::CatalogOverride>>> overrides() override;
  Task<absl::StatusOr<ports::CatalogOverride>> put_override(ports::CatalogOverride entry) override;
  Task<absl::Status> drop_override(ports::EntryKind kind, std::string id) override;
  Task<absl::Status> keep_revisions(std::vector<ports::CatalogRevision> revisions) override;
  Task<absl::StatusOr<std::optional<ports::CatalogRevision>>> revision(std::string hash) override;

 private:
  Writer& writer_;
  Reader& reader_;
};

}  // namespace waybill::storage
