#include "waybill/storage/files/log_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/storage/files/job_files.h"
#include "waybill/storage/files/log_file.h"

namespace waybill::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestChunk = 1U << 20U;

const char* name_of(ports::LogStream stream) {
  return stream == ports::LogStream::kStdout ? "stdout" : "stderr";
}

struct LogName {
  std::string root;
  JobId id;
  int attempt = 1;
  ports::LogStream stream = ports::LogStream::kStdout;
};

absl::Status unreadable(const LogName& log) {
  return unavailable(fmt::format("cannot read {} of job {}: {}", name_of(log.stream), log.id.str(),
                                 std::generic_category().message(errno)));
}

absl::StatusOr<LogReader> open_log(const LogName& log) {
  const UniqueFd directory = open_folder(log.root, job_folder(log.id.str(), log.attempt), false);
  LogReader reader(directory.get(), name_of(log.stream));
  if (directory.ok() && reader.ok()) return reader;
  // A link or a pipe in the log's place is the job's doing: it has no log then.
  const bool absent =
      errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EINVAL || errno == EBADF;
  if (!absent) return unreadable(log);
  return not_found(
      fmt::format("attempt {} of job {} has no {}", log.attempt, log.id.str(), name_of(log.stream)));
}

// A job may have taken the permissions of its own directories away; remove_all can't go through those.
void open_up(const fs::path& folder) {
  std::error_code problem;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, problem);
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    std::error_code ignored;
    if (fs::is_directory(entry->symlink_status(ignored))) open_up(entry->path());
  }
}

absl::Status remove_folder(const fs::path& folder) {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (problem) {
    open_up(folder);
    fs::remove_all(folder, problem);
  }
  if (!problem) return absl::OkStatus();
  return unavailable(fmt::format("cannot remove {}: {}", folder.string(), problem.message()));
}

absl::StatusOr<std::vector<JobId>> list_jobs(const fs::path& root, const JobId& after, std::size_t limit) {
  std::vector<std::string> names;  // a heap of the smallest `limit`, the largest first
  std::error_code problem;
  for (fs::directory_iterator entry(root, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::string name = entry->path().filename().string();
    if (!is_uuid(name) || name <= after.str() || limit == 0) continue;
    if (names.size() == limit) {
      if (name >= names.front()) continue;
      std::pop_heap(names.begin(), names.end());
      names.pop_back();
    }
    names.push_back(std::move(name));
    std::push_heap(names.begin(), names.end());
  }
  if (problem && problem != std::errc::no_such_file_or_directory)
    return unavailable(fmt::format("cannot list {}: {}", root.string(), problem.message()));
  std::sort_heap(names.begin(), names.end());
  std::vector<JobId> ids;
  ids.reserve(names.size());
  for (std::string& name : names) ids.emplace_back(std::move(name));
  return ids;
}

}  // namespace

FileLogStore::FileLogStore(Pool& pool, fs::path jobs_directory)
    : pool_(pool), jobs_directory_(std::move(jobs_directory)) {}

Task<absl::StatusOr<ports::LogInfo>> FileLogStore::info(JobId id, int attempt, ports::LogStream stream) {
  LogName name{.root = jobs_directory_.string(), .id = std::move(id), .attempt = attempt, .stream = stream};
  auto work = [log = std::move(name)]() -> absl::StatusOr<ports::LogInfo> {
    WB_ASSIGN(const LogReader reader, open_log(log));
    const LogState state = reader.state();
    return ports::LogInfo{.size = state.size, .gap_begin = state.gap_begin, .gap_end = state.gap_end};
  };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::StatusOr<ports::LogChunk>> FileLogStore::read(JobId id, int attempt, ports::LogStream stream,
                                                         std::uint64_t offset, std::size_t limit) {
  LogName name{.root = jobs_directory_.string(), .id = std::move(id), .attempt = attempt, .stream = stream};
  auto work = [log = std::move(name), offset, limit]() -> absl::StatusOr<ports::LogChunk> {
    WB_ASSIGN(const LogReader reader, open_log(log));
    ports::LogChunk chunk;
    if (!reader.read(offset, std::min(limit, kLargestChunk), chunk.bytes, chunk.next)) return unreadable(log);
    return chunk;
  };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::StatusOr<std::uint64_t>> FileLogStore::tail(JobId id, int attempt, ports::LogStream stream,
                                                       std::uint64_t lines) {
  LogName name{.root = jobs_directory_.string(), .id = std::move(id), .attempt = attempt, .stream = stream};
  auto work = [log = std::move(name), lines]() -> absl::StatusOr<std::uint64_t> {
    WB_ASSIGN(const LogReader reader, open_log(log));
    std::uint64_t offset = 0;
    if (!reader.tail(lines, offset)) return unreadable(log);
    return offset;
  };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::Status> FileLogStore::remove(JobId id) {
  auto work = [root = jobs_directory_, id = std::move(id)]() -> absl::Status {
    const std::string folder = job_folder(id.str(), 1);
    if (folder.empty()) return absl::OkStatus();
    WB_TRY(remove_folder(root / folder));
    return remove_folder(root / runs_folder(id.str()));
  };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::StatusOr<std::vector<JobId>>> FileLogStore::jobs_with_files(JobId after, std::size_t limit) {
  auto work = [root = jobs_directory_, after = std::move(after), limit] {
    return list_jobs(root, after, limit);
  };
  co_return co_await on(pool_, std::move(work));
}

}  // namespace waybill::storage
