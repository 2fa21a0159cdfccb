#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>

#include "waybill/domain/result_table.h"

namespace waybill::plugins {

// The result.json that a job left in `directory`: {"columns":[{"name","type"}],"data":[[…]]} as Heimdall
// reads it (member names in any case, others ignored; an Avro type such as ["null","string"] becomes its
// first name that is not null). nullptr: there is none, or it is a directory. Rows over a limit are dropped
// and counted as truncated; the file is never held whole. InvalidArgument says what is wrong and where.
[[nodiscard]] absl::StatusOr<std::shared_ptr<const domain::ResultTable>> read_result(int directory,
                                                                                     std::size_t max_rows,
                                                                                     std::size_t max_bytes);

}  // namespace waybill::plugins
