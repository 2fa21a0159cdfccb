#include "waybill/storage/sqlite/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

std::string content_of(int file) {
  std::array<char, 512> buffer{};
  const ssize_t size = pread(file, buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "unknown" : text;
}

}  // namespace

absl::StatusOr<LockFile> LockFile::take(const std::string& path, const std::string& holder) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.ok()) {
    return unavailable(fmt::format("cannot open the lock file \"{}\": {}", path, std::strerror(errno)));
  }
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return conflict(
        fmt::format("another server uses this database ({}): stop it first, or use PostgreSQL for several "
                    "servers (lock file \"{}\")",
                    content_of(file.get()), path));
  }
  const std::string text = holder + '\n';
  const bool written = ftruncate(file.get(), 0) == 0 &&
                       pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written) {
    return unavailable(fmt::format("cannot write the lock file \"{}\": {}", path, std::strerror(errno)));
  }
  return LockFile(std::move(file));
}

}  // namespace waybill::storage
