#include "waybill/storage/job_list.h"

#include <algorithm>
#include <unordered_map>

#include "waybill/base/json.h"
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
constexpr std::size_t kStreams = 64;     // merged
// Clocks of the database and of who says when a job ended may differ by so much.
constexpr std::int64_t kClockSlack = 3'600'000'000;

const char* column_of(JobOrder order) {
  switch (order) {
    case JobOrder::kCreatedAt:
      return "created_at";
    case JobOrder::kId:
      return "id";
    case JobOrder::kUpdatedAt:
      return "updated_at";
    case JobOrder::kName:
      return "name";
    case JobOrder::kStatus:
      return "status";
    case JobOrder::kDuration:
      return "duration_us";
  }
  return "created_at";
}

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

  [[nodiscard]] bool by_id() const { return page_.order == JobOrder::kId; }
  [[nodiscard]] bool has_indexes() const { return by_id() || page_.order == JobOrder::kCreatedAt; }
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
    take_exact_driver();
    if (driver_.column.empty()) {
      WB_TRY(take_prefix_driver());
    }
    if (driver_.column.empty()) {
      WB_TRY(take_finished_driver());
    }
    if (driver_.column.empty() || has_indexes() || few_) return absl::OkStatus();
    // Another order than the driver's index has: sort it if it is small, otherwise walk the order's index.
    WB_ASSIGN(few_, finds_few());
    if (!few_) give_back_driver();
    return absl::OkStatus();
  }

  void take_exact_driver() {
    const auto exact = [](const TextFilter& text) { return text.like.kind == Kind::kExact; };
    const auto id = std::find_if(plan_.texts.begin(), plan_.texts.end(),
                                 [&](const TextFilter& text) { return exact(text) && text.column == "id"; });
    const auto first = std::find_if(plan_.texts.begin(), plan_.texts.end(), exact);
    if (id == plan_.texts.end() && !plan_.tags.empty()) {
      driver_ = {.is_tag = true, .column = "t.tag", .values = {plan_.tags.front()}};
      plan_.tags.erase(plan_.tags.begin());
    } else if (first != plan_.texts.end()) {
      const auto chosen = id != plan_.texts.end() ? id : first;
      driver_ = {.column = "j." + chosen->column, .values = {chosen->like.low}};
      plan_.texts.erase(chosen);
    } else if (!plan_.statuses.empty()) {
      driver_.column = "j.status";
      for (const std::int64_t status : plan_.statuses) driver_.values.emplace_back(status);
      plan_.statuses.clear();
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
    if (!driver_.column.empty() && text.like.whole) plan_.texts.erase(prefix);
    return absl::OkStatus();
  }

  absl::Status take_values_or_few(const TextFilter& text, Driver range) {
    if (has_indexes() && text.column != "id") {
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
    driver_ = std::move(range);
    WB_ASSIGN(few_, finds_few());
    if (!few_) driver_ = {};
    return absl::OkStatus();
  }

  // A range of finish times is an index range; a large one is walked from where it can begin.
  absl::Status take_finished_driver() {
    Value low = std::int64_t{0};
    Value high;
    for (const RangeFilter& range : plan_.ranges) {
      if (range.column != "finished_at") continue;
      (range.part == "part_list_least" ? low : high) = range.value;
    }
    const bool asked = as_int(low) > 0 || !is_null(high);
    if (!asked) return absl::OkStatus();
    if (!is_null(high)) {
      plan_.ranges.push_back({"created_at", "part_list_below", as_int(high) + kClockSlack});
    } else {
      high = std::int64_t{INT64_MAX};
    }
    driver_ = {.column = "j.finished_at", .is_range = true, .low = low, .high = high};
    WB_ASSIGN(few_, finds_few());
    if (!few_) driver_ = {};
    return absl::OkStatus();
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

  absl::StatusOr<bool> finds_few() {
    const Params before = params_;
    Fills fills = driver_fills(driver_.values.empty() ? Value() : driver_.values.front());
    if (driver_.values.size() > 1) fills["driver"] = one_of();
    fills["most"] = std::to_string(kFew + 1);
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
    const bool from_tags = driver_.is_tag && has_indexes();  // job_tags alone has what is needed
    const std::string id = driver_.is_tag ? "t.job_id" : "j.id";
    const std::string key = by_id() ? id : (from_tags ? "t." : "j.") + std::string(column_of(page_.order));
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
    if (page_.order == JobOrder::kCreatedAt) {
      for (const RangeFilter& range : plan_.ranges) {
        if (range.column == "created_at") bounds += " and " + compare(key, range);
      }
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
      const bool bound = range.column == "created_at" && page_.order == JobOrder::kCreatedAt;
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
    const std::size_t most = where.empty() ? rows_wanted : kBudget;
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
                                                                {"most", std::to_string(kBudget)}})));
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
  Params params_;
  std::vector<std::unique_ptr<std::string>> names_;  // Params refer to them
};

// Texts that no row can have: PostgreSQL would refuse them.
bool is_impossible(const FilterPlan& plan) {
  const auto clean = [](const std::string& text) { return is_clean_utf8(text); };
  const bool all =
      std::all_of(plan.texts.begin(), plan.texts.end(),
                  [&](const TextFilter& text) { return clean(text.like.pattern) && clean(text.like.low); }) &&
      std::all_of(plan.tags.begin(), plan.tags.end(), clean) &&
      std::all_of(plan.words.begin(), plan.words.end(), clean);
  return !all;
}

}  // namespace

absl::StatusOr<ports::JobPage> list_jobs(Session& session, const Queries& queries,
                                         const ports::JobFilter& filter, const ports::PageRequest& page) {
  if (page.limit == 0) return invalid("a page of 0 jobs was asked for: the limit must be at least 1");
  FilterPlan plan = plan_filter(filter);
  if (is_impossible(plan)) return ports::JobPage();
  return PageQuery(session, queries, std::move(plan), page).run();
}

}  // namespace waybill::storage
