#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <string>

#include "waybill/base/ids.h"

// What a directory of files says of itself, in DIRECTORY/.instances: an id of its own, by which servers see
// that they mean the same one whatever its path is, and the database that its files belong to. All block.
namespace waybill::engine {

inline constexpr char kMarksFolder[] = ".instances";

// The directory's id, made by whoever comes first. Makes the directory. Unavailable where a file can't be
// used.
[[nodiscard]] absl::StatusOr<std::string> directory_id(const std::string& directory, IdGenerator& ids,
                                                       absl::Time now);

struct DatabaseMark {
  std::string id;
  std::string name;  // for people, without a password
};

// Claims the directory for the database; whoever comes first has it for good. FailedPrecondition names both
// databases where it is another's: its files have no rows in ours, so that the janitor would sweep them away.
// `setting` is how the configuration calls the directory.
[[nodiscard]] absl::Status claim_directory(const std::string& setting, const std::string& directory,
                                           const DatabaseMark& database);

}  // namespace waybill::engine
