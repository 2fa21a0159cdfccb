#include "waybill/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"

namespace waybill {
namespace {

// Not blocking, so that a pipe can't hold us.
UniqueFd open_to_read(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

absl::Status failed(int number) { return conflict(std::generic_category().message(number)); }

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

absl::Status check(const UniqueFd& file) {
  if (!file.ok()) return failed(errno);
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) return failed(errno);
  if (S_ISREG(facts.st_mode)) return absl::OkStatus();
  return conflict(std::string("it is ") + kind_of(facts.st_mode) + ", not a regular file");
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kMiB = 1U << 20U;
  return bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + " MiB" : std::to_string(bytes) + " bytes";
}

}  // namespace

absl::StatusOr<std::string> read_regular_file(const std::string& path, std::size_t limit) {
  const UniqueFd file = open_to_read(path);
  WB_TRY(check(file));
  std::string text;
  std::array<char, 65536> part{};
  while (text.size() <= limit) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno);
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return conflict("it is larger than " + size_text(limit));
}

absl::StatusOr<std::string> read_file_of(std::string_view setting, const std::string& path,
                                         std::size_t limit) {
  absl::StatusOr<std::string> text = read_regular_file(path, limit);
  const std::string why = text.ok() ? "it is empty" : message(text.status());
  if (text.ok() && !text->empty()) return text;
  return invalid(std::string(setting) + ": " + path + ": " + why);
}

absl::Status check_regular_file(const std::string& path) { return check(open_to_read(path)); }

}  // namespace waybill
