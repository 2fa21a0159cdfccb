#include "waybill/domain/record.h"

namespace waybill::domain {

std::string_view to_string(RecordStatus status) {
  switch (status) {
    case RecordStatus::kPending:
      return "PENDING";
    case RecordStatus::kRunning:
      return "RUNNING";
    case RecordStatus::kDone:
      return "DONE";
    case RecordStatus::kError:
      return "ERROR";
  }
  return "";
}

std::string_view to_string(RecordReason reason) {
  switch (reason) {
    case RecordReason::kSubmitted:
      return "Submitted";
    case RecordReason::kRunning:
      return "Running";
    case RecordReason::kSuspended:
      return "Suspended";
    case RecordReason::kRetrying:
      return "Retrying";
    case RecordReason::kNotAccepted:
      return "NotAccepted";
    case RecordReason::kSucceeded:
      return "Succeeded";
    case RecordReason::kFailed:
      return "Failed";
    case RecordReason::kSubmissionFailed:
      return "SubmissionFailed";
    case RecordReason::kDeleted:
      return "Deleted";
    case RecordReason::kSuperseded:
      return "Superseded";
    case RecordReason::kReplaced:
      return "Replaced";
    case RecordReason::kLost:
      return "Lost";
  }
  return "";
}

std::string_view to_string(RecordType type) {
  switch (type) {
    case RecordType::kBatchIngestion:
      return "BATCH_INGESTION_JOB";
    case RecordType::kStreamIngestion:
      return "STREAM_INGESTION_JOB";
    case RecordType::kRetrieval:
      return "RETRIEVAL_JOB";
    case RecordType::kInvalid:
      return "INVALID_JOB";
  }
  return "";
}

RecordType parse_record_type(std::string_view word) {
  for (const RecordType type :
       {RecordType::kBatchIngestion, RecordType::kStreamIngestion, RecordType::kRetrieval}) {
    if (word == to_string(type)) return type;
  }
  return RecordType::kInvalid;
}

std::optional<RecordReason> parse_record_reason(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(RecordReason::kLost); ++i) {
    const auto reason = static_cast<RecordReason>(i);
    if (word == to_string(reason)) return reason;
  }
  return std::nullopt;
}

}  // namespace waybill::domain
