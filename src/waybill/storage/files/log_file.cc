#include "waybill/storage/files/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <vector>

#include "waybill/storage/files/job_files.h"

namespace waybill::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "the index is little-endian");

enum Field : std::size_t { kMagic, kCap, kBegun, kDone, kBroken, kFields };
using Index = std::array<std::uint64_t, kFields>;

constexpr std::uint64_t kMagicWord = 0x31676f6c62796177;  // "wayblog1"
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kSmallestCap = 4096;
constexpr std::size_t kBlock = 65536;

std::string index_name(const std::string& name) { return '.' + name + ".index"; }

bool load(int fd, Index& index) {
  return read_at(fd, reinterpret_cast<char*>(index.data()), sizeof(Index), 0) == sizeof(Index) &&
         index[kMagic] == kMagicWord && index[kCap] >= kSmallestCap;
}

std::uint64_t file_size(int fd) {
  struct stat about = {};
  return ::fstat(fd, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

UniqueFd open_for_writing(int directory, const std::string& name) {
  UniqueFd file(
      ::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat about = {};
  if (file.ok() && (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))) file.reset();
  return file;
}

std::string marker(const LogState& state) {
  const std::string bytes = std::to_string(state.gap_end - state.gap_begin);
  return state.disk_was_full
             ? "\n[waybill: " + bytes + " bytes are missing here: the disk of the logs was full]\n"
             : "\n[waybill: " + bytes + " bytes were left out here: the log is over its limit]\n";
}

}  // namespace

LogWriter::LogWriter(int directory, const std::string& name, std::uint64_t cap)
    : file_(open_for_writing(directory, name)), index_(open_for_writing(directory, index_name(name))) {
  cap_ = std::max(cap, kSmallestCap);
  if (!file_.ok() || !index_.ok()) return;
  Index index = {};
  if (load(index_.get(), index)) {
    cap_ = index[kCap];
    broken_ = index[kBroken] != kNever;
  } else {
    index = {kMagicWord, cap_, 0, 0, kNever};
    if (!write_at(index_.get(), reinterpret_cast<const char*>(index.data()), sizeof(Index), 0))
      index_.reset();
  }
  half_ = cap_ / 2;
  done_ = index[kDone] > 0 ? index[kDone] : std::min(file_size(file_.get()), cap_);
}

void LogWriter::append(const char* bytes, std::size_t size) {
  if (size == 0) return;
  if (!ok()) {
    done_ += size;
    if (index_.ok()) note(kDone, done_);
    return;
  }
  if (done_ < cap_) {
    const std::size_t plain = static_cast<std::size_t>(std::min<std::uint64_t>(size, cap_ - done_));
    if (!write_at(file_.get(), bytes, plain, static_cast<off_t>(done_))) {
      break_off();
      return append(bytes, size);
    }
    done_ += plain;
    bytes += plain;
    size -= plain;
  }
  if (size > 0) append_to_ring(bytes, size);
}

void LogWriter::append_to_ring(const char* bytes, std::size_t size) {
  const std::uint64_t ring = cap_ - half_;
  note(kBegun, done_ + size);
  while (size > 0) {
    const std::uint64_t place = (done_ - half_) % ring;
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, ring - place));
    if (!write_at(file_.get(), bytes, piece, static_cast<off_t>(half_ + place))) {
      break_off();
      return append(bytes, size);
    }
    done_ += piece;
    bytes += piece;
    size -= piece;
  }
  note(kDone, done_);
}

// Once the ring was begun its bytes no longer tell where they are from, so that only the head stays.
void LogWriter::break_off() {
  broken_ = true;
  if (done_ >= cap_) {
    note(kBroken, half_);
  } else {
    // What a failed write left behind counts as lost.
    static_cast<void>(::ftruncate(file_.get(), static_cast<off_t>(done_)));
    note(kBroken, done_);
  }
  note(kDone, done_);
}

void LogWriter::note(std::size_t field, std::uint64_t value) {
  static_cast<void>(write_at(index_.get(), reinterpret_cast<const char*>(&value), sizeof(value),
                             static_cast<off_t>(field * sizeof(value))));
}

LogReader::LogReader(int directory, const std::string& name) : file_(open_regular(directory, name.c_str())) {
  if (!file_.ok()) return;
  index_ = open_regular(directory, index_name(name).c_str());
  Index index = {};
  if (!index_.ok() || !load(index_.get(), index)) {
    index_.reset();
    return;
  }
  cap_ = index[kCap];
  half_ = cap_ / 2;
}

LogState LogReader::state() const {
  LogState state;
  Index index = {kMagicWord, 0, 0, 0, kNever};
  if (index_.ok() && !load(index_.get(), index)) index = {kMagicWord, 0, 0, 0, kNever};
  if (index[kBroken] != kNever) {
    state.size = std::max(index[kDone], index[kBroken]);
    state.gap_begin = index[kBroken];
    state.gap_end = state.size;
    state.disk_was_full = true;
  } else if (index[kBegun] > 0) {
    state.size = std::max(index[kDone], cap_);
    state.gap_begin = half_;
    state.gap_end = std::max(index[kBegun] - (cap_ - half_), half_);
    // The writer is about to pass what it has written: nothing of the tail is safe to read right now.
    state.gap_end = std::min(state.gap_end, state.size);
  } else {
    state.size = file_size(file_.get());
    if (cap_ > 0) state.size = std::min(state.size, cap_);
  }
  if (state.gap_begin == state.gap_end) state.gap_begin = state.gap_end = 0;
  return state;
}

ssize_t LogReader::read_stored(const LogState& state, std::uint64_t offset, char* into,
                               std::size_t size) const {
  std::uint64_t end = offset < state.gap_begin ? state.gap_begin : state.size;
  std::uint64_t place = offset;
  if (cap_ > 0 && state.gap_end > 0 && offset >= half_) {
    const std::uint64_t ring = cap_ - half_;
    place = half_ + (offset - half_) % ring;
    end = std::min(end, offset + (cap_ - place));
  }
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, end - offset));
  return read_at(file_.get(), into, wanted, static_cast<off_t>(place));
}

bool LogReader::read(std::uint64_t offset, std::size_t limit, std::string& into, std::uint64_t& next) const {
  into.clear();
  next = offset;
  LogState before = state();
  for (;;) {
    if (offset >= before.size || limit == 0) return true;
    if (offset >= before.gap_begin && offset < before.gap_end) {
      into = marker(before);
      next = before.gap_end;
      return true;
    }
    into.resize(limit);
    const ssize_t n = read_stored(before, offset, into.data(), limit);
    into.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    if (n < 0) return false;
    // The writer may have passed us: then this offset is in the gap now, and the loop ends there.
    const LogState after = state();
    if (offset < after.gap_begin || offset >= after.gap_end) {
      next = offset + into.size();
      return true;
    }
    before = after;
  }
}

bool LogReader::tail(std::uint64_t lines, std::uint64_t& offset) const {
  const LogState now = state();
  offset = now.size;
  if (lines == 0) return true;
  std::vector<char> block(kBlock);
  std::uint64_t at = now.size;
  std::uint64_t seen = 0;
  while (at > 0) {
    if (at == now.gap_end) at = now.gap_begin;  // the marker line stands between head and tail
    if (at == 0) break;
    const std::uint64_t floor = at > now.gap_end ? now.gap_end : 0;
    const std::uint64_t start = at - floor > kBlock ? at - kBlock : floor;
    std::uint64_t filled = start;
    while (filled < at) {
      const ssize_t n =
          read_stored(now, filled, block.data() + (filled - start), static_cast<std::size_t>(at - filled));
      if (n < 0) return false;
      if (n == 0) break;
      filled += static_cast<std::uint64_t>(n);
    }
    for (std::uint64_t i = filled; i > start; --i) {
      if (block[i - 1 - start] != '\n' || i == now.size) continue;
      if (++seen == lines) {
        offset = i;
        return true;
      }
    }
    at = start;
  }
  offset = 0;
  return true;
}

}  // namespace waybill::storage
