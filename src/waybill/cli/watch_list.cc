#include "waybill/cli/watch_list.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <optional>

#include "waybill/base/json.h"
#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/pages.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr absl::Duration kPoll = absl::Seconds(2);
constexpr absl::Duration kSlowPoll = absl::Seconds(15);  // where events come; they may still be lost
constexpr absl::Duration kAtMostEvery = absl::Milliseconds(500);
constexpr absl::Duration kEventsAgain = absl::Seconds(30);

class ListWatch {
 public:
  ListWatch(Session& session, const Resource& resource, Query query, std::size_t limit)
      : session_(session), resource_(resource), query_(std::move(query)), limit_(limit) {}

  absl::Status run() {
    WB_TRY(look());
    while (true) {
      connect();
      const absl::Status waited = wait_for_change();
      if (waited.code() == absl::StatusCode::kCancelled) return interrupted_error();
      const absl::Status looked = look();
      if (looked.ok()) {
        away_ = false;
        continue;
      }
      if (looked.code() != absl::StatusCode::kUnavailable || is_output_closed(looked)) return looked;
      if (!std::exchange(away_, true))
        session_.note("the server does not answer; waiting for it to come back");
    }
  }

 private:
  void connect() {
    if (events_ || session_.now() < events_again_) return;
    events_again_ = session_.now() + kEventsAgain;
    absl::StatusOr<HttpStream> stream =
        session_.api().open("/events" + query_text(event_filters()), "text/event-stream");
    if (!stream.ok()) return;
    const absl::StatusOr<HttpReply> head = stream->head();
    if (head.ok() && head->header("content-type").starts_with("text/event-stream"))
      events_.emplace(*std::move(stream));
  }

  // What an event of a run doesn't tell can't be filtered by: such an event only costs a look at the list.
  [[nodiscard]] Query event_filters() const {
    constexpr std::array kToldOfRuns = {"cluster", "namespace", "project", "table"};
    const bool is_run = resource_.singular == "record";
    Query filters;
    if (is_run) filters.emplace_back("type", "record");
    for (const auto& parameter : query_) {
      if (parameter.first == "order_by" || parameter.first == "direction") continue;
      const bool told =
          std::find(kToldOfRuns.begin(), kToldOfRuns.end(), parameter.first) != kToldOfRuns.end();
      if (!is_run || told) filters.push_back(parameter);
    }
    return filters;
  }

  // Until an event came or it is time to look anyway.
  absl::Status wait_for_change() {
    const bool calm = session_.environment().pause(kAtMostEvery);
    if (!calm) return interrupted_error();
    if (!events_)
      return session_.environment().pause(kPoll - kAtMostEvery) ? absl::OkStatus() : interrupted_error();
    const absl::Time until = session_.now() + kSlowPoll;
    while (session_.now() < until) {
      const absl::StatusOr<std::string> piece = events_->read(until - session_.now());
      if (piece.status().code() == absl::StatusCode::kCancelled) return interrupted_error();
      if (!piece.ok() || events_->ended()) {
        events_.reset();
        return absl::OkStatus();
      }
      if (piece->find("data:") != std::string::npos) return absl::OkStatus();  // comments are heartbeats
    }
    return absl::OkStatus();
  }

  absl::Status look() {
    std::vector<std::string> changed;
    std::vector<std::vector<std::string>> rows;
    const auto take = [&](const std::vector<Row>& page) {
      for (const Row& row : page) {
        std::string text(row.text);
        std::string& known = known_[text_of(row.object, "id")];
        if (known == text) continue;
        known = text;
        changed.push_back(std::move(text));
        rows.push_back(row_of(resource_, row.object, session_));
      }
      return absl::OkStatus();
    };
    WB_TRY(read_pages(session_.api(), "/" + resource_.plural, query_, limit_, take));
    if (!first_) {  // newest first in the list, but what is added below goes by time
      std::reverse(changed.begin(), changed.end());
      std::reverse(rows.begin(), rows.end());
    }
    return print(changed, rows);
  }

  absl::Status print(const std::vector<std::string>& changed,
                     const std::vector<std::vector<std::string>>& rows) {
    if (!session_.is_table()) {
      for (std::size_t i = 0; i < changed.size(); ++i) {
        WB_TRY(print_one(changed[i], rows[i]));
      }
      return absl::OkStatus();
    }
    TableStyle style = session_.table_style();
    style.headers = style.headers && first_;
    style.widths = widths_;
    const std::vector<TableColumn> columns = shown_columns(resource_, session_);
    if (first_) remember_widths(columns, rows);
    if (rows.empty() && !first_) return absl::OkStatus();
    first_ = false;
    return session_.print(table_text(columns, rows, style));
  }

  absl::Status print_one(const std::string& text, const std::vector<std::string>& row) {
    first_ = false;
    if (session_.form() == OutputForm::kName) return session_.print(made_visible(row.front()) + "\n");
    const std::string line = on_one_line(text);
    return session_.print_json(session_.form() == OutputForm::kYaml ? text : line);
  }

  void remember_widths(const std::vector<TableColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      int width = display_width(columns[i].title);
      for (const auto& row : rows) width = std::max(width, display_width(made_visible(row[i])));
      widths_.push_back(width);
    }
  }

  Session& session_;
  const Resource& resource_;
  Query query_;
  std::size_t limit_;
  std::map<std::string, std::string> known_;  // id -> row
  std::vector<int> widths_;
  std::optional<HttpStream> events_;
  absl::Time events_again_ = absl::InfinitePast();
  bool first_ = true;
  bool away_ = false;
};

}  // namespace

absl::Status watch_list(Session& session, const Resource& resource, Query query, std::size_t limit) {
  return ListWatch(session, resource, std::move(query), limit).run();
}

}  // namespace waybill::cli
