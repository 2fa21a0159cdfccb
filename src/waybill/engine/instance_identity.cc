#include "waybill/engine/instance_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "waybill/base/host.h"
#include "waybill/base/status.h"
#include "waybill/engine/directory_marks.h"

namespace waybill::engine {
namespace {

constexpr int kMostOfAHost = 64;
constexpr std::size_t kIdLength = 36;

absl::Status problem(const std::string& path, const char* what, int number) {
  return unavailable(fmt::format("{}: {}: {}", path, what, std::strerror(number)));
}

// "<id>\n<pid> on <host>\n"
std::string read_all(int file) {
  std::array<char, 512> buffer{};
  const ssize_t size = ::pread(file, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

absl::Status write_all(int file, const std::string& path, const std::string& text) {
  if (::ftruncate(file, 0) != 0) return problem(path, "can't be written", errno);
  const ssize_t written = ::pwrite(file, text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size())) return problem(path, "can't be written", errno);
  if (::fsync(file) != 0) return problem(path, "can't be written", errno);
  return absl::OkStatus();
}

// A host's name as a file's: whatever is no letter, digit, dot or dash becomes a dash.
std::string file_stem(const std::string& host) {
  std::string stem = host;
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (!plain) c = '-';
  }
  return stem.starts_with('.') ? '-' + stem : stem;
}

// The locked file; not ok() if somebody else holds it.
absl::StatusOr<UniqueFd> lock(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok()) return problem(path, "can't be opened", errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return problem(path, "can't be locked", errno);
  return UniqueFd();
}

}  // namespace

absl::StatusOr<InstanceIdentity> InstanceIdentity::take(const std::string& jobs_directory, IdGenerator& ids,
                                                        absl::Time now) {
  const std::filesystem::path folder = std::filesystem::path(jobs_directory) / kMarksFolder;
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made) return problem(folder.string(), "can't be made", made.value());
  const std::string host = host_name();
  WB_ASSIGN(const std::string directory, directory_id(jobs_directory, ids, now));
  for (int n = 1; n <= kMostOfAHost; ++n) {
    const std::string path = (folder / fmt::format("{}-{}", file_stem(host), n)).string();
    WB_ASSIGN(UniqueFd file, lock(path));
    if (!file.ok()) continue;
    InstanceIdentity identity(host + '/' + directory, std::move(file));
    std::string id = read_all(identity.file_.get()).substr(0, kIdLength);
    if (!is_uuid(id)) id = ids.next(now);
    WB_TRY(write_all(identity.file_.get(), path, fmt::format("{}\n{} on {}\n", id, ::getpid(), host)));
    identity.id_ = InstanceId(std::move(id));
    return identity;
  }
  return error(absl::StatusCode::kFailedPrecondition, "directory_in_use",
               fmt::format("{} is in use by {} servers of this host: stop one first, or give this one a "
                           "jobs_directory of its own",
                           jobs_directory, kMostOfAHost));
}

}  // namespace waybill::engine
