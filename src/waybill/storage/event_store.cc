#include "waybill/storage/event_store.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <charconv>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

// "" is before the first event.
absl::StatusOr<std::int64_t> parse_position(const std::string& text) {
  std::int64_t position = 0;
  if (text.empty()) return position;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, position);
  if (problem != std::errc() || stop != end || position < 0) {
    return invalid(fmt::format("\"{}\" is not a position of an event: use one that the server gave", text));
  }
  return position;
}

absl::StatusOr<ports::Event> event_of(const Row& row) {
  ports::Event event;
  event.position = std::to_string(as_int(row[0]));
  event.type = as_text(row[1]);
  event.subject = as_text(row[2]);
  event.at = to_time(row[3]);
  WB_ASSIGN(boost::json::value body, parse_json(as_text(row[4])));
  if (boost::json::object* object = body.if_object()) event.body = std::move(*object);
  return event;
}

absl::StatusOr<ports::EventPage> read_page(Session& session, std::int64_t after, bool from_start,
                                           std::size_t limit) {
  ports::EventPage page;
  // The bounds last: rows that retention removed in between are noticed.
  const std::array<Call, 2> calls = {
      Call{"read_events", {{"after", after}, {"most", static_cast<std::int64_t>(limit)}}},
      Call{"event_bounds", {}}};
  WB_ASSIGN(const std::vector<Rows> answers, session.run(calls));
  const Rows& rows = answers[0];
  const Rows& bounds = answers[1];
  const std::int64_t horizon = as_int(bounds[0][0]);
  const std::int64_t end = as_int(bounds[0][1]);
  // Also after what there can be: a position of another database, or of one that was restored.
  if (!from_start && (after < horizon || after > end)) {
    page.reset = true;
    page.last_position = std::to_string(as_int(bounds[0][2]));
    return page;
  }
  page.last_position = std::to_string(after);
  for (const Row& row : rows) {
    WB_ASSIGN(ports::Event event, event_of(row));
    page.last_position = event.position;
    page.events.push_back(std::move(event));
  }
  return page;
}

}  // namespace

Task<absl::StatusOr<std::string>> SqlEventStore::last_position() {
  Call call{"event_bounds", {}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  co_return std::to_string(as_int(rows->front()[2]));
}

Task<absl::StatusOr<ports::EventPage>> SqlEventStore::read(std::string after, std::size_t limit) {
  const absl::StatusOr<std::int64_t> position = parse_position(after);
  WB_CO_TRY(position);
  auto work = [position = *position, from_start = after.empty(), limit](Session& session) {
    return read_page(session, position, from_start, limit);
  };
  absl::StatusOr<ports::EventPage> page = co_await reader_.run(std::move(work));
  co_return page;
}

Task<absl::Status> SqlEventStore::expire(absl::Time before, std::size_t limit) {
  std::vector<Call> calls;
  const std::int64_t time = absl::ToUnixMicros(before);
  const auto most = static_cast<std::int64_t>(limit);
  calls.push_back({"raise_event_horizon", {{"before", time}, {"most", most}}});
  calls.push_back({"remove_events", {}});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

}  // namespace waybill::storage
