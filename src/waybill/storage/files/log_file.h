#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "waybill/base/unique_fd.h"

// The form of a log on disk: a file NAME and its index .NAME.index. Only the standard library and POSIX.
//
// Up to the cap, NAME is the stream as it came. From then on its first half stays (the head) and the second
// half is a ring: byte `o` of the stream lies at half + (o - half) % (cap - half). The index says how far the
// stream has come; its block is written when the log is made, so that a full disk can't stop it:
//   0 magic   8 cap   16 begun   24 done   32 broken, each a little-endian u64
// `begun` is raised before a write into the ring and `done` after it: what a reader copied from below
// begun - ring may have been overwritten meanwhile. Both stay 0 while the file is the stream.
// `broken`: a write failed at that offset (disk full) and everything after it is lost; all ones: never.
namespace waybill::storage {

// Offsets are of the original stream; the bytes [gap_begin, gap_end) are gone, none if both are 0.
struct LogState {
  std::uint64_t size = 0;
  std::uint64_t gap_begin = 0;
  std::uint64_t gap_end = 0;
  bool disk_was_full = false;  // why there is a gap
};

// Appends to one log. One writer at a time; readers may look at any moment.
class LogWriter {
 public:
  // Goes on where the log ends; a new one is at most `cap` bytes (at least 4096). Unless ok(), appends are
  // counted and dropped.
  LogWriter(int directory, const std::string& name, std::uint64_t cap);

  [[nodiscard]] bool ok() const { return file_.ok() && index_.ok() && !broken_; }
  [[nodiscard]] std::uint64_t size() const { return done_; }
  // Never fails: what can't be written is counted, and the log says that it was cut.
  void append(const char* bytes, std::size_t size);

 private:
  void append_to_ring(const char* bytes, std::size_t size);
  void break_off();
  void note(std::size_t field, std::uint64_t value);

  UniqueFd file_;
  UniqueFd index_;
  std::uint64_t cap_ = 0;
  std::uint64_t half_ = 0;
  std::uint64_t done_ = 0;
  bool broken_ = false;
};

// Reads one log, finished or growing. Opens it once; offers what is there at each call.
class LogReader {
 public:
  // Unless ok(), errno of the constructor says why (ENOENT: no such log).
  LogReader(int directory, const std::string& name);

  [[nodiscard]] bool ok() const { return file_.ok(); }
  [[nodiscard]] LogState state() const;
  // At most `limit` bytes from `offset`; empty: nothing there (yet). An offset in the gap answers one line
  // that says so. `next` is where to read on.
  [[nodiscard]] bool read(std::uint64_t offset, std::size_t limit, std::string& into,
                          std::uint64_t& next) const;
  // Where the last `lines` lines begin, found backwards in blocks. A last line may lack its newline.
  [[nodiscard]] bool tail(std::uint64_t lines, std::uint64_t& offset) const;

 private:
  // Bytes of [offset, offset + size) that are stored in one piece; -1 on failure.
  [[nodiscard]] ssize_t read_stored(const LogState& state, std::uint64_t offset, char* into,
                                    std::size_t size) const;

  UniqueFd file_;
  UniqueFd index_;
  std::uint64_t cap_ = 0;  // 0: there is no index, the file is the stream
  std::uint64_t half_ = 0;
};

}  // namespace waybill::storage
