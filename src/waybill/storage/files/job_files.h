#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "waybill/base/unique_fd.h"

// Where the files of a job lie, and how to open what a job may have put there. Only the standard library and
// POSIX: the supervisor of a shell job, which must start fast, uses it too.
//
//   jobs_directory/<job id>/          the job's own directory, attempt 1: stdout, stderr, what it wrote
//   jobs_directory/<job id>/<n>/      the same of attempt n > 1
//   jobs_directory/.runs/<id>/<n>/    what executors keep of attempt n; out of the job's reach under run_as
//
// A job may replace anything in its directory by a link, a pipe or a directory: every open here goes from
// directory to directory without following links.
namespace waybill::storage {

// "<id>" or "<id>/<n>"; "" if id is not a job id (lower-case letters, digits and '-') or n is below 1.
[[nodiscard]] std::string job_folder(const std::string& id, int attempt);
// ".runs/<id>/<n>", or "" likewise.
[[nodiscard]] std::string run_folder(const std::string& id, int attempt);
// ".runs/<id>", or "" likewise.
[[nodiscard]] std::string runs_folder(const std::string& id);

// The directory `folder` ("a/b") below `root`; with `create`, its missing parts are made, 0700. Only `root`
// itself may lie behind links. -1 and errno on failure (ENOTDIR or ELOOP for a link).
[[nodiscard]] UniqueFd open_folder(const std::string& root, const std::string& folder, bool create);

// A regular file with one name in `directory`, for reading; anything else is EINVAL. Never waits (pipes).
[[nodiscard]] UniqueFd open_regular(int directory, const char* name);

// Bytes [offset, offset + size) of a file, fewer at its end; -1 and errno on failure.
[[nodiscard]] ssize_t read_at(int fd, char* into, std::size_t size, off_t offset);
// Writes all of it. False and errno on failure.
[[nodiscard]] bool write_at(int fd, const char* bytes, std::size_t size, off_t offset);
// The first `limit` bytes of such a file. False and errno on failure.
[[nodiscard]] bool read_small(int directory, const char* name, std::size_t limit, std::string& into);
// Writes `name` aside and renames it, 0600; `durable` waits for the disk. False and errno on failure.
[[nodiscard]] bool write_atomically(int directory, const std::string& name, const std::string& bytes,
                                    bool durable);

}  // namespace waybill::storage
