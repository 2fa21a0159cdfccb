#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/log_range.h"
#include "waybill/base/status.h"

// GET /job/{id}/stdout and /stderr.
namespace waybill::rest {
namespace {

constexpr std::size_t kChunk = 65536;
constexpr absl::Duration kFollowPause = absl::Milliseconds(250);

struct LogPlace {
  JobId id;
  int attempt = 1;
  ports::LogStream stream = ports::LogStream::kStdout;
};

absl::StatusOr<std::uint64_t> number_of(const Query& query, std::string_view name) {
  const std::string_view text = query.get(name);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return invalid(fmt::format("{}: \"{}\" is not a number of 0 or more", name, text));
  }
  return value;
}

absl::StatusOr<LogPlace> place_of(const Call& call, const domain::Job& job, ports::LogStream stream) {
  LogPlace place{job.id, job.state.attempt, stream};
  if (call.query.get("attempt").empty()) return place;
  WB_ASSIGN(const std::uint64_t attempt, number_of(call.query, "attempt"));
  if (attempt < 1 || attempt > static_cast<std::uint64_t>(job.state.attempt)) {
    return not_found(fmt::format("attempt: job {} has no attempt {}: its last is {}", job.id.str(), attempt,
                                 job.state.attempt));
  }
  place.attempt = static_cast<int>(attempt);
  return place;
}

// A job that has written nothing yet has an empty log.
Task<absl::StatusOr<ports::LogInfo>> info_of(ApiPtr api, LogPlace place) {
  absl::StatusOr<ports::LogInfo> info =
      co_await api->services.logs.info(place.id, place.attempt, place.stream);
  if (!info.ok() && absl::IsNotFound(info.status())) co_return ports::LogInfo();
  co_return info;
}

Task<absl::StatusOr<ports::LogChunk>> read_chunk(ApiPtr api, LogPlace place, std::uint64_t offset,
                                                 std::size_t limit) {
  absl::StatusOr<ports::LogChunk> chunk =
      co_await api->services.logs.read(place.id, place.attempt, place.stream, offset, limit);
  if (!chunk.ok() && absl::IsNotFound(chunk.status())) co_return ports::LogChunk{{}, offset};
  co_return chunk;
}

// Bytes [begin, end) of the stream as it is now.
Task<void> stream_part(ApiPtr api, LogPlace place, ByteRange range, std::shared_ptr<StreamSink> sink) {
  std::uint64_t at = range.begin;
  while (at < range.end) {
    const auto limit = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, range.end - at));
    absl::StatusOr<ports::LogChunk> chunk = co_await read_chunk(api, place, at, limit);
    if (!chunk.ok()) {
      sink->fail();
      co_return;
    }
    if (chunk->bytes.empty()) co_return;
    at = chunk->next;
    const bool sent = co_await sink->write(std::move(chunk->bytes));
    if (!sent) co_return;
  }
}

// Whether the attempt will write no more. An error counts as "not yet": the next look decides.
Task<bool> has_ended(ApiPtr api, LogPlace place) {
  absl::StatusOr<domain::Job> job = co_await api->services.jobs.get(place.id);
  if (!job.ok()) co_return absl::IsNotFound(job.status());
  co_return domain::is_final(job->state.status) || job->state.attempt != place.attempt;
}

// From `at` until the job has ended and all is read.
Task<void> follow(ApiPtr api, LogPlace place, std::uint64_t at, std::shared_ptr<StreamSink> sink) {
  bool ended = false;
  while (sink->open()) {
    absl::StatusOr<ports::LogChunk> chunk = co_await read_chunk(api, place, at, kChunk);
    if (!chunk.ok()) {
      sink->fail();
      co_return;
    }
    at = chunk->next;
    if (!chunk->bytes.empty()) {
      const bool sent = co_await sink->write(std::move(chunk->bytes));
      if (!sent) co_return;
      continue;
    }
    if (ended) co_return;
    ended = co_await has_ended(api, place);
    if (ended) continue;  // once more: what was written before the end
    const bool open = co_await sink->wait(kFollowPause);
    if (!open) break;
  }
  sink->fail();  // the server stops, or nobody reads any more: this is not the log's end
}

Reply text_reply(unsigned status = 200) {
  Reply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.headers.add("Cache-Control", "no-store");
  return reply;
}

Task<absl::StatusOr<Reply>> part_reply(ApiPtr api, LogPlace place, ByteRange range, Reply reply) {
  if (range.end - range.begin > kChunk) {
    reply.stream = [api, place, range](std::shared_ptr<StreamSink> sink) {
      return stream_part(api, place, range, std::move(sink));
    };
    co_return reply;
  }
  std::uint64_t at = range.begin;
  while (at < range.end) {
    absl::StatusOr<ports::LogChunk> chunk =
        co_await read_chunk(api, place, at, static_cast<std::size_t>(range.end - at));
    WB_CO_TRY(chunk);
    if (chunk->bytes.empty()) break;
    reply.body += chunk->bytes;
    at = chunk->next;
  }
  co_return reply;
}

Task<absl::StatusOr<Reply>> get_log(ApiPtr api, CallPtr call, ports::LogStream stream) {
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, JobId(call->params.at(0)));
  WB_CO_TRY(job);
  WB_CO_ASSIGN(const LogPlace place, place_of(*call, *job, stream));
  WB_CO_ASSIGN(const bool following, call->query.flag("follow"));
  absl::StatusOr<ports::LogInfo> info = co_await info_of(api, place);
  WB_CO_TRY(info);
  ByteRange range{0, info->size};
  if (!call->query.get("tail").empty()) {
    WB_CO_ASSIGN(const std::uint64_t lines, number_of(call->query, "tail"));
    if (info->size > 0) {
      absl::StatusOr<std::uint64_t> begin =
          co_await api->services.logs.tail(place.id, place.attempt, place.stream, lines);
      WB_CO_ASSIGN(range.begin, std::move(begin));
    }
  } else if (!call->query.get("offset").empty()) {
    WB_CO_ASSIGN(range.begin, number_of(call->query, "offset"));
  }
  if (following) {
    Reply reply = text_reply();
    reply.stream = [api, place, at = range.begin](std::shared_ptr<StreamSink> sink) {
      return follow(api, place, at, std::move(sink));
    };
    co_return reply;
  }
  range.begin = std::min(range.begin, range.end);
  Reply reply = text_reply();
  reply.headers.add("X-Log-Size", std::to_string(info->size));  // the next offset for a client that polls
  const std::string* header = call->request->headers.find("Range");
  const bool whole = range.begin == 0 && info->gap_begin == info->gap_end;
  if (whole) reply.headers.add("Accept-Ranges", "bytes");
  if (header != nullptr && whole && info->size > 0) {  // a log with a gap has no bytes to count
    const RangeAnswer asked = parse_range(*header, info->size);
    if (asked.kind == RangeKind::kUnsatisfiable) {
      Reply refused = error_reply(error(absl::StatusCode::kOutOfRange, "range_not_satisfiable",
                                        fmt::format("the log has {} bytes", info->size)));
      refused.status = 416;
      refused.headers.add("Content-Range", fmt::format("bytes */{}", info->size));
      co_return refused;
    }
    if (asked.kind == RangeKind::kPart) {
      range = asked.range;
      reply.status = 206;
      reply.headers.add("Content-Range",
                        fmt::format("bytes {}-{}/{}", range.begin, range.end - 1, info->size));
    }
  }
  absl::StatusOr<Reply> answer = co_await part_reply(api, place, range, std::move(reply));
  co_return answer;
}

Task<absl::StatusOr<Reply>> get_stdout(ApiPtr api, CallPtr call) {
  return get_log(std::move(api), std::move(call), ports::LogStream::kStdout);
}
Task<absl::StatusOr<Reply>> get_stderr(ApiPtr api, CallPtr call) {
  return get_log(std::move(api), std::move(call), ports::LogStream::kStderr);
}

}  // namespace

void add_log_routes(Api& api) {
  api.base.add({Method::kGet, "/job/{id}/stdout", Needs::kNothing, Audit::kDenied, get_stdout});
  api.base.add({Method::kGet, "/job/{id}/stderr", Needs::kNothing, Audit::kDenied, get_stderr});
}

}  // namespace waybill::rest
