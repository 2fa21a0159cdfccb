#pragma once

// The filters of GET /records. Internal to api/rest.

#include <absl/status/statusor.h>

#include <cstddef>
#include <vector>

#include "waybill/api/rest/query.h"
#include "waybill/ports/record_reader.h"

namespace waybill::rest {

inline constexpr std::size_t kMostRecords = 1000;  // of a page

struct RecordQuery {
  ports::RecordFilter filter;
  ports::RecordPageRequest page;
  bool limited = false;  // a limit was asked for
};

// A parameter that is empty counts as not given. InvalidArgument: a word that is no status, reason, type,
// order or direction, a time that is none, a span of time that ends before it begins.
[[nodiscard]] absl::StatusOr<RecordQuery> read_record_query(const Query& query);

// `type`, of other filters too.
[[nodiscard]] absl::StatusOr<std::vector<domain::RecordType>> read_record_types(const Query& query);

}  // namespace waybill::rest
