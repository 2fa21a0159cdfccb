#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <optional>
#include <string>
#include <vector>

#include "waybill/domain/job.h"
#include "waybill/ports/job_store.h"
#include "waybill/storage/session.h"

// Jobs as rows, and back.
namespace waybill::storage {

// Times as microseconds; InfinitePast is null.
[[nodiscard]] Value to_value(absl::Time time);
[[nodiscard]] absl::Time to_time(const Value& value);  // null: InfinitePast

[[nodiscard]] std::string to_json_text(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> words_of(const std::string& json);
[[nodiscard]] std::string to_json_text(const domain::Attributes& attributes);
[[nodiscard]] domain::Attributes attributes_of(const std::string& json);
[[nodiscard]] std::string to_json_text(const std::map<std::string, std::string>& texts);
[[nodiscard]] std::map<std::string, std::string> texts_of(const std::string& json);
[[nodiscard]] std::string to_json_text(const std::vector<ports::SharedDirectory>& directories);

// The millisecond in the job's id; as the job itself says where its id has none.
[[nodiscard]] absl::Time created_at_of(const domain::Job& job);
// Whether the job waits and was never run: insert_new_job has all of it.
[[nodiscard]] bool has_no_past(const domain::Job& job);
// All parameters of insert_new_job.
[[nodiscard]] Params new_job_params(const domain::Job& job);
// All parameters of insert_job. `now` is the caller's clock: a time to wait for is stored as a distance from
// the database's.
[[nodiscard]] Params insert_params(const domain::Job& job, absl::Time now);
// The parameters that hold a state.
void add_state_params(const domain::JobState& state, absl::Time now, Params& params);
// From the columns of part_job_columns. Internal if a column can't be read.
[[nodiscard]] absl::StatusOr<domain::Job> job_of(const Row& row);
[[nodiscard]] absl::StatusOr<std::vector<domain::Job>> jobs_of(const Rows& rows);
[[nodiscard]] std::vector<JobId> ids_of(const Rows& rows);  // of the first column
[[nodiscard]] ports::Instance instance_of(const Row& row);  // of live_instances

}  // namespace waybill::storage
