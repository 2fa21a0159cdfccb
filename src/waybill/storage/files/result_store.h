#pragma once

#include <filesystem>

#include "waybill/base/pool.h"
#include "waybill/ports/result_store.h"

namespace waybill::storage {

// Results as files: result_directory/<job id>/result.json, 0600. Thread-safe.
class FileResultStore : public ports::ResultStore {
 public:
  // `pool` outlives every task. The directory is made when it is needed.
  FileResultStore(Pool& pool, std::filesystem::path result_directory);

  Task<absl::StatusOr<boost::json::value>> put(JobId id,
                                               std::shared_ptr<const domain::ResultTable> result) override;
  Task<absl::StatusOr<std::string>> get(JobId id) override;
  Task<absl::Status> remove(JobId id) override;

 private:
  Pool& pool_;
  std::filesystem::path result_directory_;
};

}  // namespace waybill::storage
