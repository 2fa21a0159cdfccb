#include "waybill/engine/shared_directories.h"

#include <fmt/format.h>

#include <algorithm>

#include "waybill/base/status.h"

namespace waybill::engine {
namespace {

absl::Status compare(const ports::SharedDirectory& ours, const ports::Instance& other) {
  const auto theirs = std::find_if(
      other.directories.begin(), other.directories.end(),
      [&](const ports::SharedDirectory& directory) { return directory.setting == ours.setting; });
  if (theirs == other.directories.end() || theirs->id == ours.id) return absl::OkStatus();
  return error(absl::StatusCode::kFailedPrecondition, "directory_not_shared",
               fmt::format("{} {} is not the directory that the instance {} on {} uses on the same database "
                           "({}): let them share it, or stop that instance first (one that was killed counts "
                           "as running until its lease is over)",
                           ours.setting, ours.path, other.id.str(), other.host, theirs->path));
}

}  // namespace

absl::Status check_shared_directories(const ports::Instance& self,
                                      const std::vector<ports::Instance>& alive) {
  for (const ports::Instance& other : alive) {
    if (other.id == self.id) continue;
    for (const ports::SharedDirectory& ours : self.directories) {
      WB_TRY(compare(ours, other));
    }
  }
  return absl::OkStatus();
}

}  // namespace waybill::engine
