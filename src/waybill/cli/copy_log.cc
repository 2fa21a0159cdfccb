#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/jobs.h"
#include "waybill/cli/line_times.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(300);
constexpr absl::Duration kLongestPause = absl::Seconds(5);
constexpr std::string_view kColoursOff = "\x1b[0m";

// Reads one log from where it left off until the job has ended, over as many connections as it takes.
class LogCopy {
 public:
  LogCopy(Session& session, std::string id, LogOptions options)
      : session_(session), id_(std::move(id)), options_(std::move(options)), times_(options_.since) {}

  absl::Status run() {
    const absl::Status status = options_.follow ? follow() : once();
    if (session_.environment().out_is_terminal && filter_.coloured()) {
      WB_TRY(session_.print(kColoursOff));
    }
    WB_TRY(status);
    WB_TRY(write(times_.rest()));
    if (times_.saw_no_time()) {
      session_.note("note: no line of this log begins with a time, so --since shows nothing");
    }
    return absl::OkStatus();
  }

 private:
  [[nodiscard]] std::string path(bool follow) const {
    Query query;
    if (follow) query.emplace_back("follow", "true");
    if (options_.tail >= 0 && !known_offset_) query.emplace_back("tail", std::to_string(options_.tail));
    if (known_offset_ && offset_ > 0) query.emplace_back("offset", std::to_string(offset_));
    if (!options_.attempt.empty()) query.emplace_back("attempt", options_.attempt);
    return "/job/" + url_encoded(id_) + "/" + options_.stream + query_text(query);
  }

  absl::Status once() { return copy(path(false)); }

  absl::Status follow() {
    WB_TRY(options_.tail >= 0 ? copy_tail() : copy_so_far());
    absl::Duration pause = kFirstPause;
    std::optional<absl::Time> away_since;
    while (true) {
      // Whether it has ended is asked before reading: what it wrote last is then in what is read.
      const absl::StatusOr<bool> ended = has_ended();
      const std::uint64_t before = offset_;
      const absl::Status copied = ended.ok() ? copy_if_there(path(true)) : ended.status();
      if (copied.ok() && *ended) return absl::OkStatus();
      if (copied.ok() || offset_ > before) away_since.reset();
      if (offset_ > before) pause = kFirstPause;
      if (!copied.ok()) {
        if (!is_passing(copied)) return with_job(copied);
        if (!away_since) away_since = session_.now();
        if (session_.now() - *away_since > options_.patience) return copied;
      }
      if (!session_.environment().pause(pause)) return interrupted_wait({id_});
      pause = std::min(pause * 2, kLongestPause);
    }
  }

  [[nodiscard]] absl::Status with_job(const absl::Status& status) const {
    return status.code() == absl::StatusCode::kCancelled ? interrupted_wait({id_}) : status;
  }

  [[nodiscard]] bool is_passing(const absl::Status& status) const {
    const std::string word = error_word(status);
    return word == "lost" || word == "timeout" || word == "unavailable" || (word == "refused" && reached_);
  }

  absl::StatusOr<bool> has_ended() {
    WB_ASSIGN(const Answer answer, session_.api().get("/job/" + url_encoded(id_) + "/status"));
    reached_ = true;
    return answer.value.is_object() && is_final_status(text_of(answer.value.get_object(), "status"));
  }

  // What there is now, by a plain read: its answer says the log's size, which is the offset to go on from
  // even where the middle of the log was dropped. If it breaks off, following goes on where it did.
  absl::Status copy_so_far() {
    absl::StatusOr<HttpStream> stream = open(path(false));
    known_offset_ = true;
    if (!stream.ok()) return may_follow_anyway(stream.status());
    const std::optional<std::uint64_t> size = size_of(*stream);
    const absl::Status copied = copy_from(*stream);
    if (copied.ok() && size) offset_ = *size;
    return copied.ok() ? copied : may_follow_anyway(copied);
  }

  // The last lines, and the offset behind them. A server that does not say the log's size is asked for all of
  // it.
  absl::Status copy_tail() {
    absl::StatusOr<HttpStream> stream = open(path(false));
    std::optional<std::uint64_t> size = stream.ok() ? size_of(*stream) : std::nullopt;
    known_offset_ = true;
    if (stream.ok() && !size) stream = open(path(false));
    if (!stream.ok()) return may_follow_anyway(stream.status());
    std::string kept;
    std::uint64_t read = 0;
    while (!stream->ended()) {
      WB_ASSIGN(const std::string piece, stream->read());
      read += piece.size();
      kept += piece;
      kept = last_lines(std::move(kept), options_.tail);
    }
    offset_ = size.value_or(read);
    return write(times_.pass(kept));
  }

  // No log yet, or a server that is away just now: what follows decides.
  [[nodiscard]] absl::Status may_follow_anyway(const absl::Status& status) const {
    const bool passing = status.code() == absl::StatusCode::kNotFound || is_passing(status);
    return passing ? absl::OkStatus() : with_job(status);
  }

  static std::optional<std::uint64_t> size_of(HttpStream& stream) {
    const absl::StatusOr<HttpReply> head = stream.head();
    std::uint64_t size = 0;
    if (!head.ok() || !absl::SimpleAtoi(head->header("x-log-size"), &size)) return std::nullopt;
    return size;
  }

  absl::StatusOr<HttpStream> open(const std::string& path) {
    absl::StatusOr<HttpStream> stream = session_.api().open(path, "text/plain");
    if (stream.ok()) reached_ = true;
    return stream;
  }

  // A job that exists may have no log (yet).
  absl::Status copy_if_there(const std::string& path) {
    absl::Status status = copy(path);
    return status.code() == absl::StatusCode::kNotFound ? absl::OkStatus() : status;
  }

  absl::Status copy(const std::string& path) {
    WB_ASSIGN(HttpStream stream, open(path));
    return copy_from(stream);
  }

  absl::Status copy_from(HttpStream& stream) {
    while (!stream.ended()) {
      WB_ASSIGN(const std::string piece, stream.read());
      offset_ += piece.size();
      WB_TRY(write(times_.pass(piece)));
    }
    return absl::OkStatus();
  }

  absl::Status write(const std::string& bytes) {
    if (bytes.empty()) return absl::OkStatus();
    return session_.print(session_.environment().out_is_terminal ? filter_.pass(bytes) : bytes);
  }

  Session& session_;
  std::string id_;
  LogOptions options_;
  LineTimes times_;
  LogFilter filter_;
  std::uint64_t offset_ = 0;  // of the next byte, in the stream as the job wrote it
  bool known_offset_ = false;
  bool reached_ = false;
};

}  // namespace

absl::Status copy_log(Session& session, const std::string& id, LogOptions options) {
  return LogCopy(session, id, std::move(options)).run();
}

}  // namespace waybill::cli
