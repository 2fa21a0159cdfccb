#include "waybill/plugins/shell/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace waybill::plugins {
namespace {

// Fields end with a NUL: words and variables can hold any other byte.
class FieldWriter {
 public:
  FieldWriter& add(std::string_view field) {
    text_.append(field);
    text_ += '\0';
    return *this;
  }
  FieldWriter& add(std::uint64_t number) { return add(std::string_view(std::to_string(number))); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  std::string field() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      ok_ = false;
      return "";
    }
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return out;
  }
  template <class Number>
  Number number() {
    const std::string text = field();
    Number out = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem != std::errc() || end != text.data() + text.size()) ok_ = false;
    return out;
  }
  // A count of fields that can still follow.
  std::size_t count() {
    const auto n = number<std::size_t>();
    if (n > rest_.size()) ok_ = false;
    return ok_ ? n : 0;
  }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::string_view kSpecMagic = "waybill run 1";
constexpr std::string_view kChildMagic = "waybill child 1";
constexpr std::string_view kEndMagic = "waybill end 1";

std::string_view word(RunEnd::Kind kind) {
  switch (kind) {
    case RunEnd::Kind::kExited:
      return "exited";
    case RunEnd::Kind::kSignaled:
      return "signaled";
    case RunEnd::Kind::kNotRun:
      return "not run";
    case RunEnd::Kind::kCanceled:
      return "canceled";
    case RunEnd::Kind::kLost:
      break;
  }
  return "lost";
}

struct flock whole_file(short type) {
  struct flock region = {};
  region.l_type = type;
  region.l_whence = SEEK_SET;
  return region;
}

}  // namespace

std::string to_text(const RunSpec& spec) {
  FieldWriter out;
  out.add(kSpecMagic).add(spec.job_id).add(static_cast<std::uint64_t>(spec.attempt));
  out.add(spec.jobs_directory).add(spec.directory).add(spec.log_bytes).add(spec.cancel_grace_ms);
  out.add(std::uint64_t{spec.switch_user}).add(std::uint64_t{spec.uid}).add(std::uint64_t{spec.gid});
  out.add(spec.groups.size());
  for (const gid_t group : spec.groups) out.add(std::uint64_t{group});
  out.add(spec.words.size());
  for (const std::string& argument : spec.words) out.add(argument);
  out.add(spec.environment.size());
  for (const std::string& variable : spec.environment) out.add(variable);
  return out.take();
}

std::optional<RunSpec> parse_spec(const std::string& text) {
  FieldReader in(text);
  RunSpec spec;
  if (in.field() != kSpecMagic) return std::nullopt;
  spec.job_id = in.field();
  spec.attempt = in.number<int>();
  spec.jobs_directory = in.field();
  spec.directory = in.field();
  spec.log_bytes = in.number<std::uint64_t>();
  spec.cancel_grace_ms = in.number<std::uint64_t>();
  spec.switch_user = in.number<unsigned>() != 0;
  spec.uid = in.number<uid_t>();
  spec.gid = in.number<gid_t>();
  for (std::size_t n = in.count(); n > 0; --n) spec.groups.push_back(in.number<gid_t>());
  for (std::size_t n = in.count(); n > 0; --n) spec.words.push_back(in.field());
  for (std::size_t n = in.count(); n > 0; --n) spec.environment.push_back(in.field());
  if (!in.done() || spec.words.empty()) return std::nullopt;
  return spec;
}

std::string to_text(const ProcessIdentity& identity) {
  FieldWriter out;
  out.add(kChildMagic)
      .add(static_cast<std::uint64_t>(identity.pid))
      .add(identity.start_time)
      .add(identity.boot_id);
  return out.take();
}

std::optional<ProcessIdentity> parse_identity(const std::string& text) {
  FieldReader in(text);
  ProcessIdentity identity;
  if (in.field() != kChildMagic) return std::nullopt;
  identity.pid = in.number<pid_t>();
  identity.start_time = in.number<std::uint64_t>();
  identity.boot_id = in.field();
  if (!in.done() || identity.pid <= 1) return std::nullopt;
  return identity;
}

std::string to_text(const RunEnd& end) {
  FieldWriter out;
  out.add(kEndMagic).add(word(end.kind)).add(static_cast<std::uint64_t>(end.number));
  out.add(std::uint64_t{end.dumped}).add(end.what);
  return out.take();
}

std::optional<RunEnd> parse_end(const std::string& text) {
  FieldReader in(text);
  RunEnd end;
  if (in.field() != kEndMagic) return std::nullopt;
  const std::string kind = in.field();
  end.number = in.number<int>();
  end.dumped = in.number<unsigned>() != 0;
  end.what = in.field();
  if (!in.done()) return std::nullopt;
  for (const auto known : {RunEnd::Kind::kExited, RunEnd::Kind::kSignaled, RunEnd::Kind::kNotRun,
                           RunEnd::Kind::kCanceled, RunEnd::Kind::kLost}) {
    if (kind != word(known)) continue;
    end.kind = known;
    return end;
  }
  return std::nullopt;
}

bool take_lock(int directory, UniqueFd& lock) {
  lock = UniqueFd(::openat(directory, kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct flock region = whole_file(F_WRLCK);
  return lock.ok() && ::fcntl(lock.get(), F_SETLK, &region) == 0;
}

pid_t lock_holder(int directory) {
  const UniqueFd file(::openat(directory, kLockFile, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct flock region = whole_file(F_WRLCK);
  if (!file.ok() || ::fcntl(file.get(), F_GETLK, &region) != 0 || region.l_type == F_UNLCK) return 0;
  return region.l_pid;
}

bool exists(int directory, const char* name) {
  return ::faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace waybill::plugins
