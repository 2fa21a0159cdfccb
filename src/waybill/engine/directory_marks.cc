#include "waybill/engine/directory_marks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"

namespace waybill::engine {
namespace {

constexpr char kDirectoryFile[] = "directory";
constexpr char kDatabaseFile[] = "database";
constexpr std::size_t kIdLength = 36;

absl::Status problem(const std::string& path, const char* what, int number) {
  return unavailable(fmt::format("{}: {}: {}", path, what, std::strerror(number)));
}

// Of a mark: "<id>\n<name>\n".
struct Mark {
  std::string id;
  std::string name;
};

absl::StatusOr<Mark> read_mark(const std::string& path, int file) {
  std::array<char, 4096> buffer{};
  const ssize_t size = ::pread(file, buffer.data(), buffer.size(), 0);
  if (size < 0) return problem(path, "can't be read", errno);
  const std::string text(buffer.data(), static_cast<std::size_t>(size));
  Mark mark{.id = text.substr(0, kIdLength), .name = {}};
  if (!is_uuid(mark.id)) {
    return unavailable(fmt::format(
        "{}: this mark of the directory is damaged: restore the file, or remove it when no job runs", path));
  }
  if (text.size() > kIdLength) mark.name = text.substr(kIdLength + 1);
  if (mark.name.ends_with('\n')) mark.name.pop_back();
  return mark;
}

absl::Status write_draft(const std::string& path, const std::string& text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.ok()) return problem(path, "can't be made", errno);
  const bool whole = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool kept = whole && ::fsync(file.get()) == 0;
  return kept ? absl::OkStatus() : problem(path, "can't be written", errno);
}

// The mark as it is; if there is none yet, `ours`. A link that is there already is not replaced, so that of
// two who come at once both see the first one's.
absl::StatusOr<Mark> mark_or_make(const std::string& directory, const char* name, const Mark& ours) {
  const std::filesystem::path folder = std::filesystem::path(directory) / kMarksFolder;
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made) return problem(folder.string(), "can't be made", made.value());
  const std::string path = (folder / name).string();
  const std::string draft = (folder / ("." + IdGenerator().next(absl::UnixEpoch()))).string();  // ours alone
  for (int attempt = 0; attempt < 2; ++attempt) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.ok()) return read_mark(path, file.get());
    if (errno != ENOENT) return problem(path, "can't be opened", errno);
    const absl::Status written = write_draft(draft, ours.id + "\n" + ours.name + "\n");
    const bool linked = written.ok() && (::link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST);
    const int why = errno;
    ::unlink(draft.c_str());
    WB_TRY(written);
    if (!linked) return problem(path, "can't be made", why);
  }
  return problem(path, "can't be opened", ENOENT);
}

}  // namespace

absl::StatusOr<std::string> directory_id(const std::string& directory, IdGenerator& ids, absl::Time now) {
  const Mark ours{.id = ids.next(now), .name = {}};
  WB_ASSIGN(Mark mark, mark_or_make(directory, kDirectoryFile, ours));
  return std::move(mark.id);
}

absl::Status claim_directory(const std::string& setting, const std::string& directory,
                             const DatabaseMark& database) {
  WB_ASSIGN(const Mark owner, mark_or_make(directory, kDatabaseFile, {database.id, database.name}));
  if (owner.id == database.id) return absl::OkStatus();
  return error(
      absl::StatusCode::kFailedPrecondition, "directory_in_use",
      fmt::format("{} {} holds the files of the database {} ({}), and this server's is {} ({}): give "
                  "each database directories of its own; if the other was given up, remove {}/{}/{}, "
                  "and its files are swept away",
                  setting, directory, owner.name, owner.id, database.name, database.id, directory,
                  kMarksFolder, kDatabaseFile));
}

}  // namespace waybill::engine
