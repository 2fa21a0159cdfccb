#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "waybill/base/ids.h"

namespace waybill::engine {

// Who this instance is: an id that lies in its jobs directory and so outlives restarts. While this object
// lives the file is locked; a second process with the same directory is refused.
class InstanceIdentity {
 public:
  // Makes the id at the first start. FailedPrecondition that names the process that holds the directory;
  // Unavailable where the file can't be used.
  static absl::StatusOr<InstanceIdentity> take(const std::string& jobs_directory, IdGenerator& ids,
                                               absl::Time now);

  InstanceIdentity(InstanceIdentity&& other) noexcept;
  InstanceIdentity& operator=(InstanceIdentity&& other) noexcept;
  ~InstanceIdentity();

  [[nodiscard]] const InstanceId& id() const { return id_; }

 private:
  InstanceIdentity(InstanceId id, int file) : id_(std::move(id)), file_(file) {}

  InstanceId id_;
  int file_ = -1;  // holds the lock
};

}  // namespace waybill::engine
