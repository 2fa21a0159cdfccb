#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <utility>

#include "waybill/base/unique_fd.h"

namespace waybill::storage {

// The right to be the only server on a SQLite file: a flock on "<database>.lock", held until destroyed, also
// given back by the system when the process dies. The file says who holds it.
class LockFile {
 public:
  // FailedPrecondition naming the holder if another process (or another part of this one) has it.
  [[nodiscard]] static absl::StatusOr<LockFile> take(const std::string& path, const std::string& holder);

 private:
  explicit LockFile(UniqueFd file) : file_(std::move(file)) {}

  UniqueFd file_;
};

}  // namespace waybill::storage
