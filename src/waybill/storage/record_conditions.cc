#include "waybill/storage/record_conditions.h"

#include <absl/time/time.h>

#include <algorithm>
#include <set>

namespace waybill::storage {

std::string RecordConditions::bind(Value value) {
  names_.push_back(std::make_unique<std::string>("v" + std::to_string(names_.size())));
  params_.push_back({*names_.back(), std::move(value)});
  return *names_.back();
}

std::string RecordConditions::equal(const char* column, const std::string& value) {
  return part("part_list_equal", {{"column", column}, {"value", bind(value)}});
}

std::string RecordConditions::unlike(const char* column, const std::string& value) {
  return part("part_list_unlike", {{"column", column}, {"value", bind(value)}});
}

std::string RecordConditions::given(const char* column) const {
  return part("part_list_given", {{"column", column}});
}

std::string RecordConditions::one_of(const char* column, const std::vector<std::int64_t>& numbers) const {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return part("part_list_one_of", {{"column", column}, {"numbers", text}});
}

std::string RecordConditions::named(const char* column, const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? ":" : ", :") + bind(word);
  return part("part_list_named_one_of", {{"column", column}, {"values", text}});
}

std::string RecordConditions::time(const char* fragment, absl::Time time, const char* column) {
  return part(fragment, {{"column", column}, {"value", bind(absl::ToUnixMicros(time))}});
}

namespace {

// Builds the plan: first the streams are chosen, then what they don't cover is added.
class Planner {
 public:
  Planner(const ports::RecordFilter& filter, RecordConditions& conditions)
      : filter_(filter), sql_(conditions) {
    for (const domain::RecordType type : filter.types) types_.insert(static_cast<std::int64_t>(type));
    for (const domain::RecordStatus status : filter.statuses)
      statuses_.insert(static_cast<std::int64_t>(status));
    for (const domain::RecordReason reason : filter.reasons) reasons_.emplace(domain::to_string(reason));
  }

  RecordPlan plan() {
    choose_streams();
    add_rest();
    if (filter_.from) plan_.bounds.push_back(sql_.time("part_list_least", *filter_.from, "r.start_time"));
    if (filter_.to) plan_.bounds.push_back(sql_.time("part_list_most", *filter_.to, "r.start_time"));
    return std::move(plan_);
  }

 private:
  using Text = std::optional<std::string>;

  [[nodiscard]] bool only_open() const {
    const auto done = static_cast<std::int64_t>(domain::RecordStatus::kDone);
    return !statuses_.empty() && *statuses_.rbegin() < done;
  }

  // The first that is given, what finds least coming first.
  void choose_streams() {
    if (filter_.spark_application_id) return by_application();
    if (filter_.job_id) return by_job();
    if (filter_.hash) return by_hash();
    if (filter_.table) return by_table();
    if (only_open()) return by_statuses();
    if (filter_.project) return by_text("r.project", project_);
    if (!reasons_.empty()) return by_reasons();
    if (!statuses_.empty()) return by_statuses();
    if (filter_.name_space) return by_text("r.namespace", name_space_);
    if (!types_.empty()) return by_types();
    if (filter_.cluster) return by_text("r.cluster", cluster_);
    plan_.streams.emplace_back();
  }

  void by_application() {
    constexpr char kColumn[] = "r.spark_application_id";
    plan_.streams.push_back({sql_.equal(kColumn, *filter_.spark_application_id), sql_.given(kColumn)});
  }

  // The object's name, or the gateway's job; not both of one row twice.
  void by_job() {
    const std::string& id = *filter_.job_id;
    plan_.streams.push_back({sql_.equal("r.name", id)});
    plan_.streams.push_back(
        {sql_.equal("r.gateway_job", id), sql_.given("r.gateway_job"), sql_.unlike("r.name", id)});
    job_.reset();
  }

  // Of the whole name, or of the hash where the label cut the name.
  void by_hash() {
    std::vector<std::string> by_hash = {sql_.equal("r.hash", *filter_.hash), sql_.given("r.hash")};
    if (filter_.table) {
      by_hash.push_back(sql_.unlike("r.table_name", *filter_.table));
      by_table();
    }
    if (filter_.project) by_hash.push_back(sql_.equal("r.project", *filter_.project));
    plan_.streams.push_back(std::move(by_hash));
    hash_.reset();
    project_.reset();
  }

  void by_table() {
    std::vector<std::string> stream = {sql_.equal("r.table_name", *filter_.table)};
    if (filter_.project) stream.push_back(sql_.equal("r.project", *filter_.project));
    plan_.streams.push_back(std::move(stream));
    table_.reset();
    project_.reset();
  }

  void by_text(const char* column, Text& value) {
    plan_.streams.push_back({sql_.equal(column, *value)});
    value.reset();
  }

  void by_statuses() {
    for (const std::int64_t status : statuses_) plan_.streams.push_back({sql_.one_of("r.status", {status})});
    statuses_.clear();
  }

  void by_types() {
    for (const std::int64_t type : types_) plan_.streams.push_back({sql_.one_of("r.type", {type})});
    types_.clear();
  }

  void by_reasons() {
    for (const std::string& reason : reasons_) plan_.streams.push_back({sql_.equal("r.reason", reason)});
    reasons_.clear();
  }

  void add_rest() {
    const auto add = [&](const char* column, const Text& value) {
      if (value) plan_.rest.push_back(sql_.equal(column, *value));
    };
    if (table_ && hash_) {
      plan_.rest.push_back(sql_.either(sql_.equal("r.table_name", *table_), sql_.equal("r.hash", *hash_)));
    } else {
      add("r.table_name", table_);
      add("r.hash", hash_);
    }
    if (job_) {
      plan_.rest.push_back(sql_.either(sql_.equal("r.name", *job_), sql_.equal("r.gateway_job", *job_)));
    }
    add("r.project", project_);
    add("r.cluster", cluster_);
    add("r.namespace", name_space_);
    if (!types_.empty()) plan_.rest.push_back(sql_.one_of("r.type", {types_.begin(), types_.end()}));
    if (!statuses_.empty()) {
      plan_.rest.push_back(sql_.one_of("r.status", {statuses_.begin(), statuses_.end()}));
    }
    if (!reasons_.empty()) {
      plan_.rest.push_back(sql_.named("r.reason", {reasons_.begin(), reasons_.end()}));
    }
    add_window();
  }

  void add_window() {
    if (!filter_.window_from && !filter_.window_to) return;
    plan_.rest.push_back(sql_.plain("part_records_windowed"));
    if (filter_.window_from) {
      plan_.rest.push_back(sql_.time("part_records_window_from", *filter_.window_from));
    }
    if (filter_.window_to) plan_.rest.push_back(sql_.time("part_records_window_to", *filter_.window_to));
  }

  const ports::RecordFilter& filter_;
  RecordConditions& sql_;
  RecordPlan plan_;
  // What no stream covers yet.
  Text project_ = filter_.project;
  Text table_ = filter_.table;
  Text cluster_ = filter_.cluster;
  Text name_space_ = filter_.name_space;
  Text hash_ = filter_.hash;
  Text job_ = filter_.job_id;
  std::set<std::int64_t> types_;
  std::set<std::int64_t> statuses_;
  std::set<std::string> reasons_;
};

}  // namespace

RecordPlan plan_records(const ports::RecordFilter& filter, RecordConditions& conditions) {
  return Planner(filter, conditions).plan();
}

}  // namespace waybill::storage
