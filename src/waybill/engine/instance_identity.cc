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

// The locked file, or -1 if somebody else holds it.
absl::StatusOr<int> lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return problem(path, "can't be opened", errno);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int why = errno;
  ::close(file);
  if (why != EWOULDBLOCK) return problem(path, "can't be locked", why);
  return -1;
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
    WB_ASSIGN(const int file, lock(path));
    if (file < 0) continue;
    InstanceIdentity identity(host + '/' + directory, file);
    std::string id = read_all(file).substr(0, kIdLength);
    if (!is_uuid(id)) id = ids.next(now);
    WB_TRY(write_all(file, path, fmt::format("{}\n{} on {}\n", id, ::getpid(), host)));
    identity.id_ = InstanceId(std::move(id));
    return identity;
  }
  return error(absl::StatusCode::kFailedPrecondition, "directory_in_use",
               fmt::format("{} is in use by {} servers of this host: stop one first, or give this one a "
                           "jobs_directory of its own",
                           jobs_directory, kMostOfAHost));
}

InstanceIdentity::InstanceIdentity(InstanceIdentity&& other) noexcept
    : id_(std::move(other.id_)), home_(std::move(other.home_)), file_(std::exchange(other.file_, -1)) {}

InstanceIdentity& InstanceIdentity::operator=(InstanceIdentity&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(home_, other.home_);
  std::swap(file_, other.file_);
  return *this;
}

InstanceIdentity::~InstanceIdentity() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace waybill::engine
