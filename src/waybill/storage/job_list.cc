#include "waybill/storage/job_list.h"

#include <algorithm>
#include <unordered_map>

#include "waybill/base/id_time.h"
#include "waybill/base/status.h"
#include "waybill/storage/cursor.h"
#include "waybill/storage/job_filter.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

using ports::JobOrder;
using Kind = LikePattern::Kind;
using Fills = std::unordered_map<std::string, std::string>;

constexpr std::size_t kBudget = 50'000;  // rows read a page
constexpr std::size_t kFew = 20'000;     // rows sorted
constexpr std::size_t kQuick = 2'000;    // rows read to see whether a walk will do
constexpr std::size_t kRare = 1'000;     // rows of a driver that is best whatever the others find
constexpr std::size_t kStreams = 64;     // merged
// Clocks of the database and of who says when a job ended may differ by so much.
constexpr std::int64_t kClockSlack = 3'600'000'000;

// Composes the query of one page from the fragments part_list_*.
class PageQuery {
 public:
  PageQuery(Session& session, const Queries& queries, FilterPlan plan, const ports::PageRequest& page)
      : session_(session), queries_(queries), plan_(std::move(plan)), page_(page) {}

  absl::StatusOr<ports::JobPage> run() {
    if (!page_.cursor.empty()) {
      WB_ASSIGN(after_, parse_cursor(page_.cursor, page_.order, page_.descending));
      params_.push_back({"after_key", after_->key});
      params_.push_back({"after_id", after_->id});
    }
    WB_TRY(choose_driver());
    if (walked_.has_value()) return *std::move(walked_);
    return read_page();
  }

 private:
  // What finds the rows, and the values it has, one for each stream.
  struct Driver {
    bool is_tag = false;
    std::string column = {};  // "" : all rows
    std::vector<Value> values = {};
    bool is_range = false;  // of `low` to `high` instead of values
    Value low = {};
    Value high = {};
  };

  std::string part(const std::string& name, const Fills& fills) const {
    return queries_.fill("{" + name + "}", fills);
  }
  // Names the value for the statement.
  std::string bind(Value value) {
    names_.push_back(std::make_unique<std::string>("v" + std::to_string(names_.size())));
    params_.push_back({*names_.back(), std::move(value)});
    return *names_.back();
  }
  std::string bind_range(Value low, Value high) {
    const std::string base = "r" + std::to_string(names_.size());
    for (auto& [end, value] : {std::pair<const char*, Value*>{"_low", &low}, {"_high", &high}}) {
      names_.push_back(std::make_unique<std::string>(base + end));
      params_.push_back({*names_.back(), std::move(*value)});
    }
    return base;
  }

  // Each filter's index has this order.
  [[nodiscard]] bool by_id() const {
    return page_.order == JobOrder::kId || page_.order == JobOrder::kCreatedAt;
  }
  [[nodiscard]] std::string ordered(const std::string& key, const std::string& id) const {
    return part(by_id() ? "part_list_order_id" : "part_list_order",
                {{"key", key}, {"id", id}, {"direction", page_.descending ? "desc" : "asc"}});
  }
  [[nodiscard]] std::string after(const std::string& key, const std::string& id) const {
    if (!after_.has_value()) return {};
    return part(by_id() ? "part_list_after_id" : "part_list_after",
                {{"key", key}, {"id", id}, {"less", page_.descending ? "<" : ">"}});
  }

  absl::StatusOr<Rows> read(const std::string& text) {
    Call call{"list_jobs", params_};
    call.text = text;
    return run_one(session_, std::move(call));
  }

  // The filter that is best served by an index is taken out of the plan and drives.
  absl::Status choose_driver() {
    WB_TRY(take_exact_driver());
    if (driver_.column.empty()) {
      WB_TRY(take_prefix_driver());
    }
    if (is_open()) {
      WB_TRY(take_range_driver("finished_at"));
    }
    if (is_open() && !by_id()) {
      WB_TRY(take_range_driver("id"));
    }
    if (driver_.column.empty() || by_id() || few_) return absl::OkStatus();
    // Another order than the driver's index has: sort it if it is small, otherwise walk the order's index.
    WB_ASSIGN(few_, finds_at_most(kFew));
    if (!few_) give_back_driver();
    return absl::OkStatus();
  }

  [[nodiscard]] bool is_open() const { return driver_.column.empty() && !walked_.has_value(); }

  // A tag or a whole text; of several the first that finds few rows. Otherwise statuses.
  absl::Status take_exact_driver() {
    std::vector<Driver> candidates;
    for (const std::string& tag : plan_.tags) {
      candidates.push_back({.is_tag = true, .column = "t.tag", .values = {tag}});
    }
    for (const TextFilter& text : plan_.texts) {
      if (text.like.kind != Kind::kExact) continue;
      candidates.push_back({.column = "j." + text.column, .values = {text.like.low}});
    }
    if (candidates.empty() && !plan_.statuses.empty()) {
      Driver& statuses = candidates.emplace_back(Driver{.column = "j.status"});
      for (const std::int64_t status : plan_.statuses) statuses.values.emplace_back(status);
    }
    if (candidates.empty()) return absl::OkStatus();
    std::size_t chosen = 0;
    for (std::size_t i = 0; candidates.size() > 1 && i < candidates.size(); ++i) {
      driver_ = candidates[i];
      WB_ASSIGN(const bool is_rare, finds_at_most(kRare));
      if (!is_rare) continue;
      chosen = i;
      break;
    }
    driver_ = std::move(candidates[chosen]);
    take_from_plan(driver_);
    return absl::OkStatus();
  }

  void take_from_plan(const Driver& driver) {
    if (driver.is_tag) {
      plan_.tags.erase(std::find(plan_.tags.begin(), plan_.tags.end(), as_text(driver.values.front())));
    } else if (driver.column == "j.status") {
      plan_.statuses.clear();
    } else {
      plan_.texts.erase(std::find_if(plan_.texts.begin(), plan_.texts.end(), [&](const TextFilter& text) {
        return text.like.kind == Kind::kExact && "j." + text.column == driver.column &&
               text.like.low == as_text(driver.values.front());
      }));
    }
  }

  absl::Status take_prefix_driver() {
    const auto prefix = std::find_if(plan_.texts.begin(), plan_.texts.end(),
                                     [](const TextFilter& text) { return text.like.kind == Kind::kPrefix; });
    if (prefix == plan_.texts.end()) return absl::OkStatus();
    const TextFilter text = *prefix;
    Driver range{
        .column = "j." + text.column, .is_range = true, .low = text.like.low, .high = text.like.high};
    if (text.column == column_of(page_.order)) {
      driver_ = std::move(range);  // its index has the order
    } else {
      WB_TRY(take_values_or_few(text, std::move(range)));
    }
    if (!is_open() && text.like.whole) plan_.texts.erase(prefix);
    return absl::OkStatus();
  }

  absl::Status take_values_or_few(const TextFilter& text, Driver range) {
    if (by_id() && text.column != "id") {
      Call call{"list_distinct", {{"low", text.like.low}, {"high", text.like.high}}};
      call.text =
          part("part_list_distinct", {{"column", text.column}, {"most", std::to_string(kStreams + 1)}});
      WB_ASSIGN(const Rows values, run_one(session_, std::move(call)));
      if (values.size() <= kStreams) {
        driver_.column = range.column;
        for (const Row& row : values) driver_.values.push_back(row[0]);
        return absl::OkStatus();
      }
    }
    return take_if_few(std::move(range));
  }

  // A common range fills its page within a short walk; a rare one is sorted; one in between is walked as far
  // as the budget goes.
  absl::Status take_if_few(Driver range) {
    const Params before = params_;
    budget_ = kQuick;
    driver_ = {};
    WB_ASSIGN(ports::JobPage quick, read_page());
    params_ = before;
    budget_ = kBudget;
    if (quick.jobs.size() == page_.limit || quick.next_cursor.empty()) {
      walked_ = std::move(quick);
      return absl::OkStatus();
    }
    driver_ = std::move(range);
    WB_ASSIGN(few_, finds_at_most(kFew));
    if (!few_) driver_ = {};
    return absl::OkStatus();
  }

  absl::Status take_range_driver(const std::string& column) {
    const bool is_text = column == "id";
    Driver range{.column = "j." + column, .is_range = true};
    range.low = is_text ? Value(std::string()) : Value(std::int64_t{0});
    range.high = is_text ? Value(std::string("~")) : Value(INT64_MAX);  // after all ids
    bool is_bound = false;
    for (const RangeFilter& filter : plan_.ranges) {
      if (filter.column != column) continue;
      (filter.part == "part_list_least" ? range.low : range.high) = filter.value;
      is_bound = true;
    }
    if (!is_bound) return absl::OkStatus();
    // A walk by creation can begin where the last that ended in time were made.
    const std::int64_t end = as_int(range.high);
    if (!is_text && end < INT64_MAX - kClockSlack) {
      plan_.ranges.push_back({"id", "part_list_below", first_id_at(absl::FromUnixMicros(end + kClockSlack))});
    }
    return take_if_few(std::move(range));
  }

  void give_back_driver() {
    if (driver_.is_tag) {
      for (const Value& tag : driver_.values) plan_.tags.push_back(as_text(tag));
    } else if (driver_.column == "j.status") {
      for (const Value& status : driver_.values) plan_.statuses.push_back(as_int(status));
    } else if (!driver_.is_range) {
      LikePattern like;
      like.kind = Kind::kExact;
      like.low = as_text(driver_.values.front());
      plan_.texts.push_back({driver_.column.substr(2), std::move(like)});
    }
    driver_ = {};
  }

  absl::StatusOr<bool> finds_at_most(std::size_t rows_wanted) {
    const Params before = params_;
    Fills fills = driver_fills(driver_.values.empty() ? Value() : driver_.values.front());
    if (driver_.values.size() > 1) fills["driver"] = one_of();
    fills["most"] = std::to_string(rows_wanted + 1);
    const auto rows = read(part("part_list_is_many", fills));
    params_ = before;
    WB_TRY(rows);
    return rows->empty();
  }

  std::string one_of() const {
    std::string numbers;
    for (const Value& value : driver_.values) {
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(as_int(value));
    }
    return part("part_list_one_of", {{"column", driver_.column}, {"numbers", numbers}});
  }

  // The places of a stream's fragment for one of the driver's values.
  Fills driver_fills(const Value& value) {
    const bool from_tags = driver_.is_tag && by_id();  // job_tags alone has what is needed
    const std::string id = driver_.is_tag ? "t.job_id" : "j.id";
    const std::string key = by_id() ? id : "j." + std::string(column_of(page_.order));
    const char* table = from_tags        ? "part_list_tags"
                        : driver_.is_tag ? "part_list_tagged_jobs"
                                         : "part_list_jobs";
    Fills fills = {{"key", key}, {"id", id}, {"table", queries_.text(table)}};
    if (driver_.column.empty()) {
      fills["driver"] = "true";
    } else if (driver_.is_range) {
      fills["driver"] = part("part_list_between",
                             {{"column", driver_.column}, {"value", bind_range(driver_.low, driver_.high)}});
    } else {
      fills["driver"] = part("part_list_equal", {{"column", driver_.column}, {"value", bind(value)}});
    }
    std::string bounds;
    for (const RangeFilter& range : plan_.ranges) {
      if (by_id() && range.column == "id") bounds += " and " + compare(key, range);
    }
    fills["bounds"] = bounds;
    return fills;
  }

  std::string compare(const std::string& column, const RangeFilter& range) {
    return part(range.part, {{"column", column}, {"value", bind(range.value)}});
  }

  std::string few_stream() {
    Fills fills = driver_fills(driver_.values.empty() ? Value() : driver_.values.front());
    if (driver_.values.size() > 1) fills["driver"] = one_of();
    fills["most"] = std::to_string(kFew);
    fills["after"] = after("f.k", "f.id");
    fills["order"] = ordered("f.k", "f.id");
    return part("part_list_few", fills);
  }

  std::string one_stream(const Value& value, std::size_t most) {
    Fills fills = driver_fills(value);
    fills["after"] = after(fills["key"], fills["id"]);
    fills["order"] = ordered(fills["key"], fills["id"]);
    fills["most"] = std::to_string(most);
    return part("part_list_stream", fills);
  }

  // Keys and ids in the page's order, at most `most`.
  std::string stream(std::size_t most) {
    if (few_) return few_stream();
    if (driver_.values.size() < 2) {
      return one_stream(driver_.values.empty() ? Value() : driver_.values.front(), most);
    }
    std::string streams;
    for (std::size_t i = 0; i < driver_.values.size(); ++i) {
      if (i > 0) streams += " union all ";
      streams += part("part_list_union",
                      {{"stream", one_stream(driver_.values[i], most)}, {"n", std::to_string(i)}});
    }
    return part(
        "part_list_merged",
        {{"streams", streams}, {"stream_order", ordered("s.k", "s.id")}, {"most", std::to_string(most)}});
  }

  // What the driver doesn't cover.
  std::string conditions() {
    std::string out;
    const auto add = [&](const std::string& condition) { out += " and " + condition; };
    for (const TextFilter& text : plan_.texts) {
      const std::string column = "j." + text.column;
      if (text.like.kind == Kind::kExact) {
        add(part("part_list_equal", {{"column", column}, {"value", bind(text.like.low)}}));
        continue;
      }
      add(part("part_list_like", {{"column", column}, {"value", bind(text.like.pattern)}}));
    }
    for (const std::string& tag : plan_.tags) add(part("part_list_tag", {{"value", bind(tag)}}));
    if (!plan_.statuses.empty()) {
      std::string numbers;
      for (const std::int64_t status : plan_.statuses) {
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(status);
      }
      add(part("part_list_one_of", {{"column", "j.status"}, {"numbers", numbers}}));
    }
    for (const RangeFilter& range : plan_.ranges) {
      const bool bound = range.column == "id" && by_id();
      if (!bound) add(compare("j." + range.column, range));
    }
    for (const std::string& word : plan_.words) add(part("part_list_word", {{"value", bind(word)}}));
    return out;
  }

  absl::StatusOr<ports::JobPage> read_page() {
    const bool nothing = !driver_.column.empty() && !driver_.is_range && driver_.values.empty();
    if (nothing) return ports::JobPage();  // a prefix that no row has
    const std::size_t rows_wanted = page_.limit + 1;
    const std::string where = conditions();
    const std::size_t most = where.empty() ? rows_wanted : budget_;
    const std::string streamed = stream(most);
    WB_ASSIGN(Rows rows, read(part("part_list_page", {{"stream", streamed},
                                                      {"where", where},
                                                      {"outer_order", ordered("s.k", "s.id")},
                                                      {"part_context", queries_.text("part_list_context")},
                                                      {"rows", std::to_string(rows_wanted)}})));
    ports::JobPage page;
    const bool more = rows.size() > page_.limit;
    if (more) rows.pop_back();
    std::optional<Position> last;
    for (Row& row : rows) {
      Value key = std::move(row.back());
      row.pop_back();
      WB_ASSIGN(domain::Job job, job_of(row));
      last = Position{std::move(key), job.id.str()};
      page.jobs.push_back(std::move(job));
    }
    if (!more && !where.empty() && !few_) {
      WB_ASSIGN(last, stopped_at(streamed));
      if (!last.has_value()) return page;
    } else if (!more) {
      return page;
    }
    page.next_cursor = to_cursor(*last, page_.order, page_.descending);
    return page;
  }

  // The last row that was looked at, if the budget ended the reading.
  absl::StatusOr<std::optional<Position>> stopped_at(const std::string& streamed) {
    WB_ASSIGN(const Rows rows, read(part("part_list_boundary", {{"stream", streamed},
                                                                {"stream_order", ordered("s.k", "s.id")},
                                                                {"most", std::to_string(budget_)}})));
    if (rows.empty()) return std::optional<Position>();
    return std::optional<Position>(Position{rows[0][0], as_text(rows[0][1])});
  }

  Session& session_;
  const Queries& queries_;
  FilterPlan plan_;
  const ports::PageRequest& page_;
  std::optional<Position> after_;
  Driver driver_;
  bool few_ = false;  // the driver finds few rows, in another order
  std::size_t budget_ = kBudget;
  std::optional<ports::JobPage> walked_;  // the answer, if a short walk had it
  Params params_;
  std::vector<std::unique_ptr<std::string>> names_;  // Params refer to them
};

}  // namespace

absl::StatusOr<ports::JobPage> list_jobs(Session& session, const Queries& queries,
                                         const ports::JobFilter& filter, const ports::PageRequest& page) {
  if (page.limit == 0) return invalid("a page of 0 jobs was asked for: the limit must be at least 1");
  FilterPlan plan = plan_filter(filter);
  if (is_impossible(plan)) return ports::JobPage();
  return PageQuery(session, queries, std::move(plan), page).run();
}

}  // namespace waybill::storage
