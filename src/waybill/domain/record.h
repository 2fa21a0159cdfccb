#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/base/ids.h"
#include "waybill/domain/attribute.h"

// A run of a SparkApplication as the history keeps it, long after the cluster has forgotten the object.
namespace waybill::domain {

// The ids are those of the gRPC API.
enum class RecordStatus { kPending = 1, kRunning, kDone, kError };
enum class RecordReason {
  kSubmitted,
  kRunning,
  kSuspended,
  kRetrying,
  kNotAccepted,
  kSucceeded,
  kFailed,
  kSubmissionFailed,
  kDeleted,
  kSuperseded,
  kReplaced,
  kLost
};
enum class RecordType { kInvalid = 0, kBatchIngestion = 1, kStreamIngestion = 2, kRetrieval = 4 };

[[nodiscard]] std::string_view to_string(RecordStatus status);      // "PENDING", …
[[nodiscard]] std::string_view to_string(RecordReason reason);      // "Submitted", …
[[nodiscard]] std::string_view to_string(RecordType type);          // "BATCH_INGESTION_JOB", …; "INVALID_JOB"
[[nodiscard]] RecordType parse_record_type(std::string_view word);  // anything else: kInvalid
// The same words, for filters: nullopt for anything else.
[[nodiscard]] std::optional<RecordStatus> parse_record_status(std::string_view word);
[[nodiscard]] std::optional<RecordReason> parse_record_reason(std::string_view word);

// The span of data that a run covers; a side that is not known or can't be read is nullopt.
struct DataWindow {
  std::optional<absl::Time> from;
  std::optional<absl::Time> to;
  friend bool operator==(const DataWindow&, const DataWindow&) = default;
};

// One run. (cluster, uid, number) identifies it; `id` is a unique name allotted when it is first stored.
struct Run {
  std::string cluster;  // the config's id
  std::string uid;      // of the SparkApplication
  int number = 1;       // of the object's runs, from 1
  RecordId id;
  std::string name_space;
  std::string name;  // of the object: the record's job_id
  RecordStatus status = RecordStatus::kPending;
  RecordReason reason = RecordReason::kSubmitted;
  bool has_outcome = false;       // the operator told how it ended; nothing reopens it
  absl::Time start;               // job_start_time
  bool start_is_attempt = false;  // start is the operator's time of an attempt; it moves no more
  std::optional<absl::Time> end;
  std::int64_t attempts = 0;
  std::string error;
  std::string application_id;
  std::string submission_id;               // the last one seen in this run
  std::optional<absl::Time> attempt_time;  // lastSubmissionAttemptTime, the latest in this run
  std::string state;                       // the operator's word when it was last seen
  std::optional<absl::Time> driver_end;    // the operator's terminationTime then, if it is to be believed
  bool awaits_status = false;              // a later run of an object, whose status is still another run's
  absl::Time opened_at;                    // by our clock
  absl::Time seen_at;
  std::string project, table, type_word, hash;
  DataWindow window;
  bool forgotten = false;  // retention removed its record: it only holds its number

  [[nodiscard]] bool is_open() const { return !end.has_value(); }
  friend bool operator==(const Run&, const Run&) = default;
};

// A run with what is kept beside it, as readers are shown it.
struct Record {
  Run run;
  JobId gateway_job;  // the job of this gateway that started the run; "" : somebody else did
  Attributes attributes;
  AttributeErrors attribute_errors;
  std::string driver_pod;
  std::string web_ui_address;
  std::string output_location;                // of a retrieval
  std::vector<std::string> feature_refs;      // of a retrieval: "table:feature"
  std::string manifest;                       // SHA-256 of its canonical JSON; "" : none was kept
  std::optional<absl::Time> unwatched_since;  // an open run that nothing can watch any more
  friend bool operator==(const Record&, const Record&) = default;
};

// What one watch sees, with a stored position of its own.
struct WatchScope {
  std::string cluster;
  std::string name_space;  // "" : all
  std::string selector;    // "" : every object

  // Within the cluster: "jobs/app=x"; a namespace has no slash.
  [[nodiscard]] std::string text() const { return name_space + '/' + selector; }
  friend auto operator<=>(const WatchScope&, const WatchScope&) = default;
};

// What is known of an object, as long as it exists.
struct KnownObject {
  std::string cluster;
  std::string uid;
  std::string name_space;
  std::string name;
  std::string scope;          // WatchScope::text() of the watch that saw it last
  std::uint64_t version = 0;  // of the last event that counted
  std::string record_id;      // the id that a run opened now would ask for
  std::string spec_hash;      // the last one seen
  std::string submission_id;  // the last one seen, by any run
  std::optional<absl::Time> attempt_time;
  bool gone = false;
  bool outside = false;  // it left the selection while a run was open: it is read by name until that ends
  std::vector<Record>
      records;  // of its runs, by number; the last is the newest. At least those that can change

  [[nodiscard]] Run& newest() { return records.back().run; }
  [[nodiscard]] const Run& newest() const { return records.back().run; }
};

}  // namespace waybill::domain
