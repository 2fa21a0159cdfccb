#include "waybill/domain/record.h"

#include "waybill/domain/words.h"

namespace waybill::domain {
namespace {

constexpr Words<RecordStatus, 4> kStatuses = {{{RecordStatus::kPending, "PENDING"},
                                               {RecordStatus::kRunning, "RUNNING"},
                                               {RecordStatus::kDone, "DONE"},
                                               {RecordStatus::kError, "ERROR"}}};
constexpr Words<RecordReason, 12> kReasons = {{{RecordReason::kSubmitted, "Submitted"},
                                               {RecordReason::kRunning, "Running"},
                                               {RecordReason::kSuspended, "Suspended"},
                                               {RecordReason::kRetrying, "Retrying"},
                                               {RecordReason::kNotAccepted, "NotAccepted"},
                                               {RecordReason::kSucceeded, "Succeeded"},
                                               {RecordReason::kFailed, "Failed"},
                                               {RecordReason::kSubmissionFailed, "SubmissionFailed"},
                                               {RecordReason::kDeleted, "Deleted"},
                                               {RecordReason::kSuperseded, "Superseded"},
                                               {RecordReason::kReplaced, "Replaced"},
                                               {RecordReason::kLost, "Lost"}}};
constexpr Words<RecordType, 4> kTypes = {{{RecordType::kInvalid, "INVALID_JOB"},
                                          {RecordType::kBatchIngestion, "BATCH_INGESTION_JOB"},
                                          {RecordType::kStreamIngestion, "STREAM_INGESTION_JOB"},
                                          {RecordType::kRetrieval, "RETRIEVAL_JOB"}}};

}  // namespace

std::string_view to_string(RecordStatus status) { return word_of(kStatuses, status); }
std::string_view to_string(RecordReason reason) { return word_of(kReasons, reason); }
std::string_view to_string(RecordType type) { return word_of(kTypes, type); }

std::optional<RecordStatus> parse_record_status(std::string_view word) { return value_of(kStatuses, word); }
std::optional<RecordReason> parse_record_reason(std::string_view word) { return value_of(kReasons, word); }
RecordType parse_record_type(std::string_view word) {
  return value_of(kTypes, word).value_or(RecordType::kInvalid);
}

}  // namespace waybill::domain
