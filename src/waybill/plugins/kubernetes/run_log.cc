#include "waybill/plugins/kubernetes/run_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/storage/files/job_files.h"
#include "waybill/storage/files/log_file.h"

namespace waybill::plugins {
namespace {

constexpr char kPositionFile[] = "log-position";
constexpr std::size_t kPositionBytes = 256;

absl::Status file_error(const std::string& what) {
  return unavailable(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

}  // namespace

RunLog::RunLog(Pool& pool, std::filesystem::path jobs_directory, JobId id, int attempt, std::uint64_t cap)
    : pool_(pool),
      jobs_directory_(std::move(jobs_directory)),
      folder_(storage::job_folder(id.str(), attempt)),
      run_folder_(storage::run_folder(id.str(), attempt)),
      cap_(cap) {}

RunLog::~RunLog() = default;

Task<absl::StatusOr<RunLog::Archived>> RunLog::open(std::shared_ptr<RunLog> self) {
  auto work = [self]() -> absl::StatusOr<Archived> {
    const UniqueFd directory = storage::open_folder(self->jobs_directory_, self->folder_, true);
    if (!directory.ok()) return file_error("the job's directory can't be made");
    const UniqueFd runs = storage::open_folder(self->jobs_directory_, self->run_folder_, true);
    if (!runs.ok()) return file_error("the run's directory can't be made");
    self->stdout_ = std::make_unique<storage::LogWriter>(directory.get(), "stdout", self->cap_);
    Archived archived;
    archived.size = self->stdout_->size();
    std::string text;
    if (storage::read_small(runs.get(), kPositionFile, kPositionBytes, text))
      archived.position = parse_position(text);
    if (archived.position.offset > archived.size) archived.position = {};  // not of this file
    return archived;
  };
  auto opened = co_await on(self->pool_, std::move(work));
  co_return opened;
}

Task<absl::Status> RunLog::append(std::shared_ptr<RunLog> self, std::string bytes, LogPosition position) {
  auto work = [self, bytes = std::move(bytes), text = to_text(position)]() -> absl::Status {
    if (self->stdout_ == nullptr) return unavailable("the log is not open");
    self->stdout_->append(bytes.data(), bytes.size());
    const UniqueFd runs = storage::open_folder(self->jobs_directory_, self->run_folder_, true);
    if (!runs.ok() || !storage::write_atomically(runs.get(), kPositionFile, text, false))
      return file_error("the position of the log can't be kept");
    return absl::OkStatus();
  };
  const absl::Status done = co_await on(self->pool_, std::move(work));
  co_return done;
}

Task<absl::Status> RunLog::note(std::shared_ptr<RunLog> self, std::string text) {
  auto work = [self, text = std::move(text)]() -> absl::Status {
    const UniqueFd directory = storage::open_folder(self->jobs_directory_, self->folder_, true);
    if (!directory.ok()) return file_error("the job's directory can't be made");
    storage::LogWriter writer(directory.get(), "stderr", self->cap_);
    writer.append(text.data(), text.size());
    return absl::OkStatus();
  };
  const absl::Status done = co_await on(self->pool_, std::move(work));
  co_return done;
}

Task<absl::StatusOr<std::string>> RunLog::tail(std::shared_ptr<RunLog> self, std::uint64_t lines,
                                               std::size_t bytes) {
  auto work = [self, lines, bytes]() -> absl::StatusOr<std::string> {
    const UniqueFd directory = storage::open_folder(self->jobs_directory_, self->folder_, false);
    if (!directory.ok()) return std::string();
    const storage::LogReader reader(directory.get(), "stdout");
    if (!reader.ok()) return std::string();
    std::uint64_t offset = 0;
    if (!reader.tail(lines, offset)) return file_error("the log can't be read");
    const std::uint64_t size = reader.state().size;
    bool is_cut = false;
    if (size - offset > bytes) {
      offset = size - bytes;
      is_cut = true;
    }
    std::string text;
    while (offset < size) {
      std::string piece;
      if (!reader.read(offset, bytes, piece, offset)) return file_error("the log can't be read");
      if (piece.empty()) break;
      text += piece;
    }
    // A line that begins in its middle is none.
    if (is_cut) text.erase(0, text.find('\n') == std::string::npos ? 0 : text.find('\n') + 1);
    return text;
  };
  auto read = co_await on(self->pool_, std::move(work));
  co_return read;
}

}  // namespace waybill::plugins
