#include "waybill/storage/record_list.h"

#include <absl/strings/escaping.h>
#include <absl/time/time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/storage/histogram.h"
#include "waybill/storage/job_rows.h"
#include "waybill/storage/record_conditions.h"
#include "waybill/storage/record_rows.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

constexpr std::size_t kBudget = 50'000;  // rows read a page

// Where a page ended.
struct Place {
  std::int64_t start = 0;
  std::string id;
};

std::string to_cursor(const Place& place, bool descending) {
  const json::array parts = {"records", descending, place.start, place.id};
  return absl::WebSafeBase64Escape(json::serialize(parts));
}

absl::StatusOr<Place> parse_cursor(const std::string& cursor, bool descending) {
  const absl::Status refused = invalid("invalid pagination cursor");
  std::string text;
  if (!absl::WebSafeBase64Unescape(cursor, &text)) return refused;
  const absl::StatusOr<json::value> value = parse_json(text);
  if (!value.ok() || !value->is_array()) return refused;
  const json::array& parts = value->get_array();
  const bool ours = parts.size() == 4 && parts[0] == "records" && parts[1] == descending &&
                    parts[2].is_int64() && parts[3].is_string();
  if (!ours) return refused;
  return Place{parts[2].get_int64(), std::string(parts[3].get_string())};
}

std::string all_of(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) text += (text.empty() ? "" : " and ") + condition;
  return text.empty() ? "true" : text;
}

std::string each_and(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) text += " and " + condition;
  return text;
}

// Composes the query of one page.
class RecordQuery {
 public:
  RecordQuery(Session& session, const Queries& queries, const ports::RecordFilter& filter,
              const ports::RecordPageRequest& page)
      : session_(session), sql_(queries), page_(page), plan_(plan_records(filter, sql_)) {}

  absl::StatusOr<ports::RecordPage> run() {
    if (!page_.cursor.empty()) {
      WB_ASSIGN(const Place after, parse_cursor(page_.cursor, page_.descending));
      sql_.add("after_key", after.start);
      sql_.add("after_id", after.id);
    }
    const std::size_t wanted = page_.limit + 1;
    const std::size_t most = plan_.rest.empty() ? wanted : kBudget;
    const std::string streamed = merged(most);
    WB_ASSIGN(Rows rows, read(sql_.part("part_records_page", {{"stream", streamed},
                                                              {"where", each_and(plan_.rest)},
                                                              {"outer_order", ordered("s.k", "s.id")},
                                                              {"rows", std::to_string(wanted)}})));
    return page_of(std::move(rows), streamed, most);
  }

 private:
  absl::StatusOr<Rows> read(std::string text) {
    Call call{"list_records", sql_.params()};
    call.text = std::move(text);
    return run_one(session_, std::move(call));
  }

  std::string ordered(const std::string& key, const std::string& id) const {
    return sql_.part("part_list_order",
                     {{"key", key}, {"id", id}, {"direction", page_.descending ? "desc" : "asc"}});
  }

  std::string after(const std::string& key, const std::string& id) const {
    if (page_.cursor.empty()) return {};
    return sql_.part("part_list_after", {{"key", key}, {"id", id}, {"less", page_.descending ? "<" : ">"}});
  }

  std::string stream(const std::vector<std::string>& conditions, std::size_t most) const {
    return sql_.part("part_list_stream", {{"key", "r.start_time"},
                                          {"id", "r.id"},
                                          {"table", sql_.plain("part_records_from")},
                                          {"driver", all_of(conditions)},
                                          {"bounds", each_and(plan_.bounds)},
                                          {"after", after("r.start_time", "r.id")},
                                          {"order", ordered("r.start_time", "r.id")},
                                          {"most", std::to_string(most)}});
  }

  // Starts and ids in the page's order, at most `most`.
  std::string merged(std::size_t most) const {
    if (plan_.streams.size() == 1) return stream(plan_.streams.front(), most);
    std::string streams;
    for (std::size_t i = 0; i < plan_.streams.size(); ++i) {
      if (i > 0) streams += " union all ";
      streams += sql_.part("part_list_union",
                           {{"stream", stream(plan_.streams[i], most)}, {"n", std::to_string(i)}});
    }
    return sql_.part(
        "part_list_merged",
        {{"streams", streams}, {"stream_order", ordered("s.k", "s.id")}, {"most", std::to_string(most)}});
  }

  absl::StatusOr<ports::RecordPage> page_of(Rows rows, const std::string& streamed, std::size_t most) {
    ports::RecordPage page;
    const bool more = rows.size() > page_.limit;
    if (more) rows.pop_back();
    std::optional<Place> last;
    for (const Row& row : rows) {
      WB_ASSIGN(domain::Record record, record_of(row));
      last = Place{as_int(row.back()), record.run.id.str()};
      page.records.push_back(std::move(record));
    }
    if (!more) {
      if (plan_.rest.empty()) return page;
      WB_ASSIGN(last, stopped_at(streamed, most));
      if (!last) return page;
    }
    page.next_cursor = to_cursor(*last, page_.descending);
    return page;
  }

  // The last row that was looked at, if the budget ended the reading.
  absl::StatusOr<std::optional<Place>> stopped_at(const std::string& streamed, std::size_t most) {
    WB_ASSIGN(const Rows rows, read(sql_.part("part_list_boundary", {{"stream", streamed},
                                                                     {"stream_order", ordered("s.k", "s.id")},
                                                                     {"most", std::to_string(most)}})));
    if (rows.empty()) return std::optional<Place>();
    return std::optional<Place>(Place{as_int(rows[0][0]), as_text(rows[0][1])});
  }

  Session& session_;
  RecordConditions sql_;
  const ports::RecordPageRequest& page_;
  RecordPlan plan_;
};

bool is_clean(const std::optional<std::string>& text) { return !text || is_clean_utf8(*text); }

// Texts that no row can have; PostgreSQL would refuse them.
bool is_impossible(const ports::RecordFilter& filter) {
  return !is_clean(filter.project) || !is_clean(filter.table) || !is_clean(filter.cluster) ||
         !is_clean(filter.name_space) || !is_clean(filter.hash) || !is_clean(filter.job_id) ||
         !is_clean(filter.spark_application_id);
}

}  // namespace

absl::StatusOr<ports::RecordPage> list_records(Session& session, const Queries& queries,
                                               const ports::RecordFilter& filter,
                                               const ports::RecordPageRequest& page) {
  if (page.limit == 0) return invalid("a page of 0 records was asked for: the limit must be at least 1");
  if (is_impossible(filter)) return ports::RecordPage();
  return RecordQuery(session, queries, filter, page).run();
}

absl::StatusOr<std::vector<ports::RecordStatsBucket>> record_stats(Session& session, const Queries& queries,
                                                                   const ports::RecordStatsRequest& request) {
  constexpr absl::Duration kHour = absl::Hours(1);
  if (request.bucket < kHour || request.bucket % kHour != absl::ZeroDuration()) {
    return invalid("the bucket of the statistics must be whole hours, at least one");
  }
  ports::RecordFilter filter;
  filter.project = request.project;
  filter.table = request.table;
  if (is_impossible(filter)) return std::vector<ports::RecordStatsBucket>();
  const absl::Time start = absl::UnixEpoch() + absl::Floor(request.from - absl::UnixEpoch(), kHour);
  RecordConditions sql(queries);
  std::vector<std::string> conditions;
  if (request.project) conditions.push_back(sql.equal("r.project", *request.project));
  if (request.table) conditions.push_back(sql.equal("r.table_name", *request.table));
  if (!request.types.empty()) {
    std::vector<std::int64_t> types;
    for (const domain::RecordType type : request.types) types.push_back(static_cast<std::int64_t>(type));
    conditions.push_back(sql.one_of("r.type", types));
  }
  sql.add("from", absl::ToUnixMicros(start));
  sql.add("to", absl::ToUnixMicros(request.to));
  sql.add("slot_us", absl::ToInt64Microseconds(request.bucket));
  Call call{"record_stats", sql.params()};
  call.text = sql.part("part_record_stats", {{"where", all_of(conditions)}});
  WB_ASSIGN(const Rows rows, run_one(session, std::move(call)));

  struct Sum {
    ports::RecordStatsBucket bucket;
    std::map<std::int64_t, std::int64_t> durations;
  };
  std::map<std::int64_t, Sum> sums;
  for (const Row& row : rows) {
    Sum& sum = sums[as_int(row[0])];
    const std::int64_t count = as_int(row[4]);
    if (as_int(row[2]) != 0) {
      sum.bucket.unknown += count;
    } else {
      sum.bucket.counts[static_cast<domain::RecordStatus>(as_int(row[1]))] += count;
    }
    sum.durations[as_int(row[3])] += count;
  }
  std::vector<ports::RecordStatsBucket> out;
  for (auto& [slot, sum] : sums) {
    sum.bucket.start = start + slot * request.bucket;
    sum.bucket.p50 = quantile(sum.durations, 0.5);
    sum.bucket.p95 = quantile(sum.durations, 0.95);
    out.push_back(std::move(sum.bucket));
  }
  return out;
}

}  // namespace waybill::storage
