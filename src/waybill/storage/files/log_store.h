#pragma once

#include <filesystem>
#include <memory>

#include "waybill/base/pool.h"
#include "waybill/ports/log_store.h"

namespace waybill::storage {

// Logs as files in the directories of jobs (job_files.h, log_file.h), also while they are written.
// Thread-safe.
class FileLogStore : public ports::LogStore {
 public:
  // `pool` outlives every task. The directory need not be there yet.
  FileLogStore(Pool& pool, std::filesystem::path jobs_directory);

  Task<absl::StatusOr<ports::LogInfo>> info(JobId id, int attempt, ports::LogStream stream) override;
  Task<absl::StatusOr<ports::LogChunk>> read(JobId id, int attempt, ports::LogStream stream,
                                             std::uint64_t offset, std::size_t limit) override;
  Task<absl::StatusOr<std::uint64_t>> tail(JobId id, int attempt, ports::LogStream stream,
                                           std::uint64_t lines) override;
  // Takes with it what the executors kept of the job's runs.
  Task<absl::Status> remove(JobId id) override;
  Task<absl::StatusOr<std::vector<JobId>>> jobs_with_files(JobId after, std::size_t limit) override;

 private:
  Pool& pool_;
  std::filesystem::path jobs_directory_;
};

}  // namespace waybill::storage
