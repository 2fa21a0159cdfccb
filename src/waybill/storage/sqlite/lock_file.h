#pragma once

#include <absl/status/statusor.h>

#include <string>

namespace waybill::storage {

// The right to be the only server on a SQLite file: a flock on "<database>.lock", held until destroyed, also
// given back by the system when the process dies. The file says who holds it.
class LockFile {
 public:
  // FailedPrecondition naming the holder if another process (or another part of this one) has it.
  [[nodiscard]] static absl::StatusOr<LockFile> take(const std::string& path, const std::string& holder);

  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile();

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace waybill::storage
