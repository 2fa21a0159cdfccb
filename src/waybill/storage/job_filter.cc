#include "waybill/storage/job_filter.h"

#include <absl/time/time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "waybill/base/id_time.h"
#include "waybill/base/json.h"

namespace waybill::storage {
namespace {

void add_text(const char* column, const std::optional<std::string>& pattern, FilterPlan& plan) {
  if (!pattern.has_value()) return;
  LikePattern like = parse_like(*pattern);
  if (like.kind != LikePattern::Kind::kAny) plan.texts.push_back({column, std::move(like)});
}

void add_exact(const char* column, std::string text, FilterPlan& plan) {
  LikePattern like;
  like.kind = LikePattern::Kind::kExact;
  like.low = std::move(text);
  plan.texts.push_back({column, std::move(like)});
}

// System tags aren't stored: they are columns.
void add_tag(const std::string& tag, FilterPlan& plan) {
  struct SystemTag {
    std::string_view prefix;
    const char* column;
  };
  static constexpr SystemTag kSystemTags[] = {{"_id:", "id"}, {"_name:", "name"}, {"_version:", "version"}};
  for (const SystemTag& system : kSystemTags) {
    if (tag.starts_with(system.prefix))
      return add_exact(system.column, tag.substr(system.prefix.size()), plan);
  }
  plan.tags.push_back(tag);
}

void add_time(const char* column, const char* part, std::optional<absl::Time> time, FilterPlan& plan) {
  if (time.has_value()) plan.ranges.push_back({column, part, absl::ToUnixMicros(*time)});
}

// created_at is the time in the id.
void add_created(const char* part, std::optional<absl::Time> time, FilterPlan& plan) {
  if (time.has_value()) plan.ranges.push_back({"id", part, first_id_at(*time)});
}

void add_duration(const char* part, std::optional<absl::Duration> duration, FilterPlan& plan) {
  if (duration.has_value()) {
    plan.ranges.push_back({"duration_us", part, absl::ToInt64Microseconds(*duration)});
  }
}

// As the word stands in the JSON text of the tags; only ASCII letters have a case here, as in both databases.
std::string lower_json(std::string_view word) {
  std::string quoted = boost::json::serialize(boost::json::string_view(word.data(), word.size()));
  std::string text = quoted.substr(1, quoted.size() - 2);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

FilterPlan plan_filter(const ports::JobFilter& filter) {
  FilterPlan plan;
  add_text("id", filter.id, plan);
  for (const std::string& tag : filter.tags) add_tag(tag, plan);
  add_text("name", filter.name, plan);
  add_text("username", filter.username, plan);
  add_text("version", filter.version, plan);
  add_text("command_name", filter.command, plan);
  add_text("cluster_name", filter.cluster, plan);
  // Each once: a status is a stream of its own.
  const std::set<domain::JobStatus> statuses(filter.statuses.begin(), filter.statuses.end());
  for (const domain::JobStatus status : statuses) {
    plan.statuses.push_back(static_cast<std::int64_t>(status));
  }
  add_created("part_list_least", filter.from, plan);
  add_created("part_list_below", filter.to, plan);
  add_time("finished_at", "part_list_least", filter.finished_from, plan);
  add_time("finished_at", "part_list_below", filter.finished_to, plan);
  // Without a maximum alone finding jobs that have no duration yet.
  if (filter.max_duration.has_value() && !filter.min_duration.has_value()) {
    add_duration("part_list_least", absl::ZeroDuration(), plan);
  }
  add_duration("part_list_least", filter.min_duration, plan);
  add_duration("part_list_most", filter.max_duration, plan);
  std::string_view rest = filter.q;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \t\n\r"), rest.size());
    if (end > 0) plan.words.push_back(lower_json(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return plan;
}

const char* column_of(ports::JobOrder order) {
  switch (order) {
    case ports::JobOrder::kCreatedAt:
    case ports::JobOrder::kId:
      return "id";
    case ports::JobOrder::kUpdatedAt:
      return "updated_at";
    case ports::JobOrder::kName:
      return "name";
    case ports::JobOrder::kStatus:
      return "status";
    case ports::JobOrder::kDuration:
      return "duration_us";
  }
  return "id";
}

bool is_impossible(const FilterPlan& plan) {
  const auto clean = [](const std::string& text) { return is_clean_utf8(text); };
  const bool all =
      std::all_of(plan.texts.begin(), plan.texts.end(),
                  [&](const TextFilter& text) { return clean(text.like.pattern) && clean(text.like.low); }) &&
      std::all_of(plan.tags.begin(), plan.tags.end(), clean) &&
      std::all_of(plan.words.begin(), plan.words.end(), clean);
  return !all;
}

}  // namespace waybill::storage
