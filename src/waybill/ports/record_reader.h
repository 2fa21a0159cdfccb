#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/record.h"

namespace waybill::ports {

// GET /records and ListBatchJobRecords. All given members must hold; texts are compared as they are.
struct RecordFilter {
  std::optional<std::string> project, table, cluster, name_space;
  // A table whose name the operator's label cut: rows of either the table's name or this `caraml.dev/hash`.
  std::optional<std::string> hash;
  std::optional<std::string> job_id;  // the object's name, or the id of the gateway's job
  std::optional<std::string> spark_application_id;
  std::vector<domain::RecordType> types;             // empty: any
  std::vector<domain::RecordStatus> statuses;        // empty: any
  std::vector<domain::RecordReason> reasons;         // empty: any
  std::optional<absl::Time> from, to;                // start time; bounds included
  std::optional<absl::Time> window_from, window_to;  // runs whose data window overlaps this one
};

struct RecordPageRequest {
  std::size_t limit = 101;
  std::string cursor;      // "" : the first page; damaged: InvalidArgument "invalid pagination cursor"
  bool descending = true;  // by start time, then id
};

struct RecordPage {
  std::vector<domain::Record> records;
  std::string next_cursor;  // "" : this was the last page
};

struct RecordStatsRequest {
  absl::Time from, to;    // by start time
  absl::Duration bucket;  // whole hours
  std::optional<std::string> project, table;
  std::vector<domain::RecordType> types;
};

// Lost counts apart: its outcome is unknown, which is no failure.
struct RecordStatsBucket {
  absl::Time start;
  std::map<domain::RecordStatus, std::int64_t> counts;  // without the unknown ones
  std::int64_t unknown = 0;
  std::optional<absl::Duration> p50, p95;  // of start -> end of those that are DONE
};

// The run history, to read. Errors: NotFound, InvalidArgument, Unavailable (the database is away).
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  virtual Task<absl::StatusOr<domain::Record>> get(RecordId id) = 0;
  // Keyset pages; each filter alone, with project and table together, costs the same at any size.
  virtual Task<absl::StatusOr<RecordPage>> list(RecordFilter filter, RecordPageRequest page) = 0;
  // The manifests of that content, by SHA-256; ones that are not kept are left out.
  virtual Task<absl::StatusOr<std::map<std::string, boost::json::value>>> manifests(
      std::vector<std::string> hashes) = 0;
  // Whether there is any record of this feature table, of whatever time.
  virtual Task<absl::StatusOr<bool>> knows_table(std::string project, std::string table) = 0;
  // The records of a job of this gateway, oldest first.
  virtual Task<absl::StatusOr<std::vector<RecordId>>> of_job(JobId job) = 0;
  virtual Task<absl::StatusOr<std::vector<RecordStatsBucket>>> record_stats(RecordStatsRequest request) = 0;
};

}  // namespace waybill::ports
