#include "waybill/storage/files/job_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace waybill::storage {
namespace {

bool is_job_id(std::string_view id) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !id.empty() && id.size() <= 64 && id[0] != '-' &&
         id.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::string job_folder(const std::string& id, int attempt) {
  if (!is_job_id(id) || attempt < 1) return "";
  return attempt == 1 ? id : id + '/' + std::to_string(attempt);
}

std::string runs_folder(const std::string& id) { return is_job_id(id) ? ".runs/" + id : ""; }

std::string run_folder(const std::string& id, int attempt) {
  if (!is_job_id(id) || attempt < 1) return "";
  return runs_folder(id) + '/' + std::to_string(attempt);
}

UniqueFd open_folder(const std::string& root, const std::string& folder, bool create) {
  if (folder.empty()) {
    errno = ENOENT;
    return UniqueFd();
  }
  UniqueFd at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t start = 0;
  while (at.ok() && start <= folder.size()) {
    const std::size_t end = std::min(folder.find('/', start), folder.size());
    const std::string part = folder.substr(start, end - start);
    if (create && ::mkdirat(at.get(), part.c_str(), 0700) != 0 && errno != EEXIST) return UniqueFd();
    at = UniqueFd(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    start = end + 1;
  }
  return at;
}

UniqueFd open_regular(int directory, const char* name) {
  UniqueFd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat about = {};
  if (!file.ok() || ::fstat(file.get(), &about) != 0) return UniqueFd();
  if (!S_ISREG(about.st_mode) || about.st_nlink > 1) {
    errno = EINVAL;
    return UniqueFd();
  }
  return file;
}

ssize_t read_at(int fd, char* into, std::size_t size, off_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd, into + done, size - done, offset + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

bool write_at(int fd, const char* bytes, std::size_t size, off_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pwrite(fd, bytes + done, size - done, offset + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool read_small(int directory, const char* name, std::size_t limit, std::string& into) {
  into.clear();
  const UniqueFd file = open_regular(directory, name);
  struct stat about = {};
  if (!file.ok() || ::fstat(file.get(), &about) != 0) return false;
  into.resize(std::min(limit, static_cast<std::size_t>(about.st_size)));
  const ssize_t n = read_at(file.get(), into.data(), into.size(), 0);
  into.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return n >= 0;
}

bool write_atomically(int directory, const std::string& name, const std::string& bytes, bool durable) {
  const std::string aside = name + ".new";
  if (::unlinkat(directory, aside.c_str(), 0) != 0 && errno != ENOENT) return false;
  const UniqueFd file(
      ::openat(directory, aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) return false;
  const bool written = write_at(file.get(), bytes.data(), bytes.size(), 0) &&
                       (!durable || ::fsync(file.get()) == 0) &&
                       ::renameat(directory, aside.c_str(), directory, name.c_str()) == 0 &&
                       (!durable || ::fsync(directory) == 0);
  if (written) return true;
  const int problem = errno;
  ::unlinkat(directory, aside.c_str(), 0);
  errno = problem;
  return false;
}

}  // namespace waybill::storage
