#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/ports/record_reader.h"

namespace waybill::testing {

// A run history in memory. Rows are what a test put there; filters and pages are done as the port says,
// without any care for speed.
class FakeRecordReader : public ports::RecordReader {
 public:
  std::vector<domain::Record> records;
  std::map<std::string, boost::json::value> kept;  // manifests by hash
  std::set<std::pair<std::string, std::string>> tables;
  std::vector<ports::RecordFilter> filters;  // of every list()
  std::vector<ports::RecordPageRequest> pages;
  std::vector<ports::RecordStatsBucket> buckets;
  std::vector<ports::RecordStatsRequest> stats;
  absl::Status broken;  // what every call answers, if it is an error

  // A batch ingestion of sample.driver that ended well after a minute and a half.
  domain::Record& add(const std::string& id, std::int64_t start_seconds) {
    domain::Record& record = records.emplace_back();
    record.run.id = RecordId(id);
    record.run.name = "job-" + id;
    record.run.project = "sample";
    record.run.table = "driver";
    record.run.type_word = "BATCH_INGESTION_JOB";
    record.run.status = domain::RecordStatus::kDone;
    record.run.reason = domain::RecordReason::kSucceeded;
    record.run.start = absl::FromUnixSeconds(start_seconds);
    record.run.end = record.run.start + absl::Seconds(90);
    return record;
  }

  Task<absl::StatusOr<domain::Record>> get(RecordId id) override {
    if (!broken.ok()) co_return broken;
    for (const domain::Record& record : records) {
      if (record.run.id == id) co_return record;
    }
    co_return not_found("no such row");
  }

  // The cursor is the number of rows that came before.
  Task<absl::StatusOr<ports::RecordPage>> list(ports::RecordFilter filter,
                                               ports::RecordPageRequest page) override {
    filters.push_back(filter);
    pages.push_back(page);
    if (!broken.ok()) co_return broken;
    const bool is_number = page.cursor.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) co_return invalid("invalid pagination cursor");
    std::vector<domain::Record> found;
    std::copy_if(records.begin(), records.end(), std::back_inserter(found),
                 [&](const domain::Record& record) { return matches(filter, record); });
    std::sort(found.begin(), found.end(), [&](const domain::Record& a, const domain::Record& b) {
      const auto key = [](const domain::Record& r) { return std::pair(r.run.start, r.run.id); };
      return page.descending ? key(a) > key(b) : key(a) < key(b);
    });
    const std::size_t first = page.cursor.empty() ? 0 : std::stoul(page.cursor);
    ports::RecordPage answer;
    for (std::size_t i = first; i < found.size() && answer.records.size() < page.limit; ++i) {
      answer.records.push_back(found[i]);
    }
    const std::size_t next = first + answer.records.size();
    if (next < found.size()) answer.next_cursor = std::to_string(next);
    co_return answer;
  }

  Task<absl::StatusOr<std::map<std::string, boost::json::value>>> manifests(
      std::vector<std::string> hashes) override {
    if (!broken.ok()) co_return broken;
    std::map<std::string, boost::json::value> found;
    for (const std::string& hash : hashes) {
      if (const auto one = kept.find(hash); one != kept.end()) found.insert(*one);
    }
    co_return found;
  }
  Task<absl::StatusOr<bool>> knows_table(std::string project, std::string table) override {
    if (!broken.ok()) co_return broken;
    const bool has_run = std::any_of(records.begin(), records.end(), [&](const domain::Record& record) {
      return record.run.project == project && record.run.table == table;
    });
    co_return has_run || tables.contains({project, table});
  }
  Task<absl::StatusOr<std::vector<RecordId>>> of_job(JobId job) override {
    if (!broken.ok()) co_return broken;
    std::vector<RecordId> ids;
    for (const domain::Record& record : records) {
      if (record.gateway_job == job) ids.push_back(record.run.id);
    }
    co_return ids;
  }
  Task<absl::StatusOr<std::vector<ports::RecordStatsBucket>>> record_stats(
      ports::RecordStatsRequest request) override {
    stats.push_back(std::move(request));
    if (!broken.ok()) co_return broken;
    co_return buckets;
  }

 private:
  template <class T>
  static bool one_of(const std::vector<T>& wanted, T value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
  }
  static bool same(const std::optional<std::string>& wanted, const std::string& value) {
    return !wanted || *wanted == value;
  }
  static bool matches(const ports::RecordFilter& filter, const domain::Record& record) {
    const domain::Run& run = record.run;
    const bool of_table = same(filter.table, run.table) || (filter.hash && *filter.hash == run.hash);
    const bool of_job =
        !filter.job_id || *filter.job_id == run.name || *filter.job_id == record.gateway_job.str();
    const bool in_time =
        (!filter.from || run.start >= *filter.from) && (!filter.to || run.start <= *filter.to);
    const domain::DataWindow& window = run.window;
    const bool in_window = (!filter.window_from || (window.to && *window.to > *filter.window_from)) &&
                           (!filter.window_to || (window.from && *window.from < *filter.window_to));
    return same(filter.project, run.project) && of_table && same(filter.cluster, run.cluster) &&
           same(filter.name_space, run.name_space) && of_job &&
           same(filter.spark_application_id, run.application_id) &&
           one_of(filter.types, domain::parse_record_type(run.type_word)) &&
           one_of(filter.statuses, run.status) && one_of(filter.reasons, run.reason) && in_time && in_window;
  }
};

}  // namespace waybill::testing
