#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

// The text of a regular file of at most `limit` bytes. Never waits: what is a pipe, a device or a directory
// is said to be one. FailedPrecondition says only why ("it is a pipe, not a regular file"); who asks names
// the file.
[[nodiscard]] absl::StatusOr<std::string> read_regular_file(const std::string& path, std::size_t limit);

// The same of a file that a setting names and that must hold something: InvalidArgument names both.
[[nodiscard]] absl::StatusOr<std::string> read_file_of(std::string_view setting, const std::string& path,
                                                       std::size_t limit);

// The same error for a file that is read as it goes, unless it is a regular one that can be opened.
[[nodiscard]] absl::Status check_regular_file(const std::string& path);

}  // namespace waybill
