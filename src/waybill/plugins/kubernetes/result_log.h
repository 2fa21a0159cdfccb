#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "waybill/domain/result_table.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// A line of the log that is part of the job's result begins so. The first holds
// {"columns":[{"name":…,"type":…},…]}, each of the others a row: a list of values.
inline constexpr std::string_view kResultMark = "waybill-result: ";

// Gathers a result from lines. Pure.
class ResultLines {
 public:
  explicit ResultLines(const ports::RunLimits& limits) : limits_(limits) {}
  // InvalidArgument: a line with the mark that is none of a result; it says which and why.
  [[nodiscard]] absl::Status take(std::string_view line);
  // nullptr: no line had the mark.
  [[nodiscard]] std::shared_ptr<const domain::ResultTable> result() const { return table_; }
  // What is missing is so by a limit, or because the log lacks it.
  void truncate();

 private:
  const ports::RunLimits limits_;
  std::shared_ptr<domain::ResultTable> table_;
  std::size_t bytes_ = 0;
  std::size_t line_ = 0;
};

// The result in the archived stdout of a job. Reads a file: on the pool.
[[nodiscard]] absl::StatusOr<std::shared_ptr<const domain::ResultTable>> read_result_log(
    const std::string& jobs_directory, const std::string& folder, const ports::RunLimits& limits);

}  // namespace waybill::plugins
