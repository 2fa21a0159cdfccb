#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <utility>

#include "waybill/base/ids.h"
#include "waybill/base/unique_fd.h"

namespace waybill::engine {

// Who this instance is: an id in a file of its jobs directory, which outlives restarts. While this object
// lives the file is locked. Instances may share the directory: each of a host takes the first file of that
// host that nobody holds, so that after a restart it is again one whose jobs may have run here.
class InstanceIdentity {
 public:
  // Makes the id at the first start. Unavailable where a file can't be used; FailedPrecondition past 64
  // instances of one host.
  static absl::StatusOr<InstanceIdentity> take(const std::string& jobs_directory, IdGenerator& ids,
                                               absl::Time now);

  [[nodiscard]] const InstanceId& id() const { return id_; }
  // Where the runs of host-local jobs can be found again: "<host>/<id of the jobs directory>". Servers of one
  // host that have directories of their own can't see each other's runs, so they must not take them over.
  [[nodiscard]] const std::string& home() const { return home_; }

 private:
  InstanceIdentity(std::string home, UniqueFd file) : home_(std::move(home)), file_(std::move(file)) {}

  InstanceId id_;
  std::string home_;
  UniqueFd file_;  // holds the lock
};

}  // namespace waybill::engine
