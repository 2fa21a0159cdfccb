#include "waybill/base/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace waybill {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

bool make_pipe(Pipe& pipe) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  pipe.read.reset(ends[0]);
  pipe.write.reset(ends[1]);
  return true;
}

}  // namespace waybill
