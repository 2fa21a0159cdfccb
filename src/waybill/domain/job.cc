#include "waybill/domain/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/domain/words.h"

namespace waybill::domain {
namespace {

constexpr Words<JobStatus, 8> kStatuses = {{{JobStatus::kNew, "NEW"},
                                            {JobStatus::kAccepted, "ACCEPTED"},
                                            {JobStatus::kRunning, "RUNNING"},
                                            {JobStatus::kFailed, "FAILED"},
                                            {JobStatus::kKilled, "KILLED"},
                                            {JobStatus::kSucceeded, "SUCCEEDED"},
                                            {JobStatus::kCanceling, "CANCELING"},
                                            {JobStatus::kCanceled, "CANCELED"}}};

constexpr Words<EndReason, 9> kReasons = {{{EndReason::kNone, ""},
                                           {EndReason::kTimeout, "timeout"},
                                           {EndReason::kLost, "lost"},
                                           {EndReason::kHostLost, "host_lost"},
                                           {EndReason::kNodeGone, "node_gone"},
                                           {EndReason::kDeleted, "deleted"},
                                           {EndReason::kStartUnknown, "start_unknown"},
                                           {EndReason::kCommandRemoved, "command_removed"},
                                           {EndReason::kStartFailed, "start_failed"}}};

}  // namespace

std::string_view to_string(JobStatus status) { return word_of(kStatuses, status); }
std::optional<JobStatus> parse_job_status(std::string_view word) { return value_of(kStatuses, word); }

bool is_final(JobStatus status) {
  return status == JobStatus::kFailed || status == JobStatus::kKilled || status == JobStatus::kSucceeded ||
         status == JobStatus::kCanceled;
}

std::string_view to_string(EndReason reason) { return word_of(kReasons, reason); }
std::optional<EndReason> parse_end_reason(std::string_view word) { return value_of(kReasons, word); }

std::vector<std::string> with_system_tags(std::string_view id, std::string_view name,
                                          std::string_view version, const std::vector<std::string>& own) {
  std::vector<std::string> tags = own;
  tags.push_back(fmt::format("_id:{}", id));
  tags.push_back(fmt::format("_name:{}", name));
  tags.push_back(fmt::format("_version:{}", version));
  return sorted_unique(std::move(tags));
}

std::vector<std::string> sorted_unique(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace waybill::domain
