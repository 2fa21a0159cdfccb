#pragma once

#include <memory>
#include <vector>

#include "waybill/storage/reader.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

// Writes these statements in one transaction of a group; the rows of each.
[[nodiscard]] Task<absl::StatusOr<std::vector<Rows>>> write_calls(
    Writer& writer, std::vector<Call> calls, std::vector<ports::ChangeNotice> notices = {});
// Reads with one statement.
[[nodiscard]] Task<absl::StatusOr<Rows>> read_rows(Reader& reader, Call call);

}  // namespace waybill::storage
