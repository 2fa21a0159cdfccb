#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/base/task.h"

namespace waybill::ports {

enum class LogStream { kStdout, kStderr };

// Offsets are of the original stream. Over the size cap the middle was dropped: bytes [gap_begin, gap_end).
struct LogInfo {
  std::uint64_t size = 0;  // of the original stream so far
  std::uint64_t gap_begin = 0;
  std::uint64_t gap_end = 0;
};

struct LogChunk {
  std::string bytes;  // at most what was asked for; empty: nothing (yet) at that offset
  std::uint64_t next =
      0;  // where to read on; reading into the gap answers one marker line and next = gap_end
};

// Logs of jobs, by attempt; kept until retention removes the job. Reads run on a pool and never hold a whole
// log.
class LogStore {
 public:
  virtual ~LogStore() = default;
  // NotFound if that attempt wrote no such log.
  virtual Task<absl::StatusOr<LogInfo>> info(JobId id, int attempt, LogStream stream) = 0;
  virtual Task<absl::StatusOr<LogChunk>> read(JobId id, int attempt, LogStream stream, std::uint64_t offset,
                                              std::size_t limit) = 0;
  // Where the last `lines` lines begin.
  virtual Task<absl::StatusOr<std::uint64_t>> tail(JobId id, int attempt, LogStream stream,
                                                   std::uint64_t lines) = 0;
  virtual Task<absl::Status> remove(JobId id) = 0;  // the whole folder of a job; idempotent
  // Ids of jobs that have files, at most `limit`, in order, after `after`: for the orphan sweep.
  virtual Task<absl::StatusOr<std::vector<JobId>>> jobs_with_files(JobId after, std::size_t limit) = 0;
};

}  // namespace waybill::ports
