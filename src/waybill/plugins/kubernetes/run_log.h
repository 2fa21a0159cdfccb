#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/base/pool.h"
#include "waybill/base/task.h"
#include "waybill/plugins/kubernetes/pod_log_lines.h"

namespace waybill::storage {
class LogWriter;
}

namespace waybill::plugins {

// The archived log of one attempt: stdout is the main pod's, stderr what Waybill has to say of it and the
// logs of helpers. io thread only; files are handled on the pool, one call of a RunLog at a time.
class RunLog {
 public:
  RunLog(Pool& pool, std::filesystem::path jobs_directory, JobId id, int attempt, std::uint64_t cap);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  // Where the archive of stdout ends, and the last position stored with it. Unavailable: it can't be written.
  struct Archived {
    LogPosition position;
    std::uint64_t size = 0;
  };
  static Task<absl::StatusOr<Archived>> open(std::shared_ptr<RunLog> self);
  static Task<absl::Status> append(std::shared_ptr<RunLog> self, std::string bytes, LogPosition position);
  // A line on stderr.
  static Task<absl::Status> note(std::shared_ptr<RunLog> self, std::string text);
  // The last lines of stdout, at most `bytes` of them.
  static Task<absl::StatusOr<std::string>> tail(std::shared_ptr<RunLog> self, std::uint64_t lines,
                                                std::size_t bytes);

  [[nodiscard]] const std::filesystem::path& directory() const { return jobs_directory_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  Pool& pool_;
  const std::filesystem::path jobs_directory_;
  const std::string folder_;      // of the attempt, below it
  const std::string run_folder_;  // where the position is kept
  const std::uint64_t cap_;
  std::unique_ptr<storage::LogWriter> stdout_;  // on the pool only
};

}  // namespace waybill::plugins
