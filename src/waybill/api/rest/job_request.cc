#include "waybill/api/rest/job_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/bind.h"
#include "waybill/base/go_json.h"
#include "waybill/base/status.h"
#include "waybill/domain/job_limits.h"

namespace waybill::rest {
namespace {

void ignore_what_the_server_sets(Members& members) {
  using Ignored = Members::Ignored;
  for (const char* name : {"id", "error", "command_id", "command_name", "cluster_id", "cluster_name",
                           "command_revision", "cluster_revision", "canceled_by", "user", "status_reason",
                           "started_at", "finished_at", "rerun_of"}) {
    members.ignored(name, Ignored::kText);
  }
  for (const char* name : {"created_at", "updated_at", "duration_ms", "attempt", "attempts"}) {
    members.ignored(name, Ignored::kInteger);
  }
  for (const char* name : {"job_attributes", "extra_job_attributes", "attribute_errors", "result"}) {
    members.ignored(name, Ignored::kObject);
  }
  members.ignored("is_sync", Ignored::kFlag);
  members.ignored("status", Ignored::kJobStatus);
}

}  // namespace

absl::Status check_timeout(double seconds) {
  if (seconds >= 0 && seconds <= domain::kLongestTimeout) return absl::OkStatus();
  return invalid(
      fmt::format("timeout_seconds: {} is not between 0 (none) and {}", seconds, domain::kLongestTimeout));
}

absl::StatusOr<JobRequestBody> read_job_request(const boost::json::object& body, const Query* query) {
  JobRequestBody read;
  domain::JobSpec& spec = read.spec;
  Words tags;
  Object context;
  std::int64_t priority = 0;
  std::int64_t max_attempts = 0;
  double timeout = 0;
  Members members;
  members.text("name", spec.name);
  members.text("version", spec.version);
  members.text("description", spec.description);
  members.words("tags", tags);
  members.object("context", context);
  members.words("command_criteria", spec.command_criteria);
  members.words("cluster_criteria", spec.cluster_criteria);
  members.flag("store_result_sync", spec.store_result_sync);
  members.text("queue", spec.queue);
  members.integer("priority", priority);
  members.real("timeout_seconds", timeout);
  members.integer("max_attempts", max_attempts);
  ignore_what_the_server_sets(members);
  WB_TRY(members.read(body, query));
  if (priority < -100 || priority > 100)
    return invalid(fmt::format("priority: {} is not between -100 and 100", priority));
  if (max_attempts < 0 || max_attempts > domain::kMostAttempts) {
    return invalid(
        fmt::format("max_attempts: {} is not between 1 and {}", max_attempts, domain::kMostAttempts));
  }
  WB_TRY(check_timeout(timeout));
  if (context) {
    for (auto& member : *context) as_go_numbers(member.value());
    spec.context = std::move(context);
  }
  if (tags) spec.tags = *std::move(tags);  // in the caller's order: an error names the place
  spec.priority = static_cast<int>(priority);
  spec.max_attempts = static_cast<int>(std::max<std::int64_t>(max_attempts, 1));
  spec.timeout = absl::Seconds(timeout);
  read.warnings = members.warnings();
  return read;
}

absl::StatusOr<std::string> idempotency_key(const std::string* header) {
  if (header == nullptr) return std::string();
  const bool visible =
      std::all_of(header->begin(), header->end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!visible || header->empty() || header->size() > 255) {
    return invalid("the header Idempotency-Key is not 1 to 255 visible ASCII characters");
  }
  return *header;
}

}  // namespace waybill::rest
