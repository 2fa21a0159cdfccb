#pragma once

#include <absl/status/statusor.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "waybill/base/ids.h"
#include "waybill/base/task.h"
#include "waybill/domain/result_table.h"

namespace waybill::ports {

// Results of jobs as files of JSON: {"columns":[{"name","type"}],"data":[[…]]} and "truncated": true where
// cut.
class ResultStore {
 public:
  virtual ~ResultStore() = default;
  // Atomic (written aside, renamed). Answers the metadata for the job's row:
  // {"columns":…,"rows":n,"bytes":n}.
  virtual Task<absl::StatusOr<boost::json::value>> put(JobId id,
                                                       std::shared_ptr<const domain::ResultTable> result) = 0;
  virtual Task<absl::StatusOr<std::string>> get(JobId id) = 0;  // the JSON text; NotFound
  virtual Task<absl::Status> remove(JobId id) = 0;              // idempotent
};

}  // namespace waybill::ports
