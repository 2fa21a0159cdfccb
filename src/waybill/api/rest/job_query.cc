#include "waybill/api/rest/job_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/api/rest/errors.h"
#include "waybill/api/rest/http/message.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

namespace waybill::rest {
namespace {

std::optional<std::string> pattern(const Query& query, std::string_view name) {
  const std::string* value = query.find(name);
  if (value == nullptr) return std::nullopt;
  return *value;
}

absl::StatusOr<std::optional<absl::Duration>> duration_of(const Query& query, std::string_view name) {
  const std::string_view text = query.get(name);
  if (text.empty()) return std::optional<absl::Duration>();
  absl::StatusOr<absl::Duration> duration = parse_duration(text);
  if (!duration.ok()) return prefixed(duration.status(), name);
  return std::optional<absl::Duration>(*duration);
}

absl::Status read_times(const Query& query, ports::JobFilter& filter) {
  WB_ASSIGN(filter.from, query.time("from"));
  WB_ASSIGN(filter.to, query.time("to"));
  WB_ASSIGN(filter.finished_from, query.time("finished_from"));
  WB_ASSIGN(filter.finished_to, query.time("finished_to"));
  WB_ASSIGN(filter.min_duration, duration_of(query, "min_duration"));
  WB_ASSIGN(filter.max_duration, duration_of(query, "max_duration"));
  return absl::OkStatus();
}

// Words that are no status match nothing, as in Heimdall; false if none of the words is one.
bool read_statuses(const Query& query, ports::JobFilter& filter) {
  const std::vector<std::string> words = query.exact_list("status");
  for (const std::string& word : words) {
    if (const auto status = domain::parse_job_status(word)) filter.statuses.push_back(*status);
  }
  return query.find("status") == nullptr || !filter.statuses.empty();
}

absl::Status read_order(const Query& query, ports::PageRequest& page) {
  struct Order {
    std::string_view word;
    ports::JobOrder order;
  };
  constexpr Order kOrders[] = {{"", ports::JobOrder::kCreatedAt},
                               {"created_at", ports::JobOrder::kCreatedAt},
                               {"id", ports::JobOrder::kId},
                               {"updated_at", ports::JobOrder::kUpdatedAt},
                               {"name", ports::JobOrder::kName},
                               {"status", ports::JobOrder::kStatus},
                               {"duration", ports::JobOrder::kDuration}};
  const std::string_view word = query.get("order_by");
  const auto* found =
      std::find_if(std::begin(kOrders), std::end(kOrders), [&](const Order& o) { return o.word == word; });
  if (found == std::end(kOrders)) {
    return invalid(fmt::format(
        "order_by: \"{}\" is not one of id, created_at, updated_at, name, status, duration", word));
  }
  page.order = found->order;
  WB_ASSIGN(page.descending, read_descending(query));
  return absl::OkStatus();
}

// Restricts to one user beside a pattern that was asked for; false if both can't match.
bool restrict_user(ports::JobFilter& filter, const std::string& user) {
  if (filter.username && !like(*filter.username, user)) return false;
  filter.username = exactly(user);
  return true;
}

}  // namespace

absl::StatusOr<JobQuery> read_job_query(const Query& query, const std::string& caller,
                                        const std::string& scoped_to, std::size_t most) {
  JobQuery read;
  ports::JobFilter& filter = read.filter;
  filter.id = pattern(query, "id");
  filter.username = pattern(query, "username");
  filter.name = pattern(query, "name");
  filter.version = pattern(query, "version");
  filter.command = pattern(query, "command");
  filter.cluster = pattern(query, "cluster");
  filter.tags = query.list("tags");
  filter.q = query.get("q");
  WB_TRY(read_times(query, filter));
  if (!read_statuses(query, filter)) read.nothing = true;
  WB_ASSIGN(const bool mine, query.flag("mine"));
  if (mine && caller.empty()) return no_caller();
  if (mine && !restrict_user(filter, caller)) read.nothing = true;
  if (!scoped_to.empty() && !restrict_user(filter, scoped_to)) read.nothing = true;
  WB_TRY(read_order(query, read.page));
  read.page.limit = read_limit(query.get("limit"), most);
  read.page.cursor = query.get("cursor");
  return read;
}

}  // namespace waybill::rest
