#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "waybill/ports/job_store.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// Where a page ended: the order's value and the id of its last row.
struct Position {
  Value key;  // text for the orders by id, created_at and name, a number for the others
  std::string id;
};

// Opaque to clients: base64url of a JSON text that also holds the order and the direction.
[[nodiscard]] std::string to_cursor(const Position& position, ports::JobOrder order, bool descending);
// InvalidArgument "invalid pagination cursor" for anything that to_cursor() of this order and direction
// didn't make.
[[nodiscard]] absl::StatusOr<Position> parse_cursor(const std::string& cursor, ports::JobOrder order,
                                                    bool descending);

[[nodiscard]] bool has_text_key(ports::JobOrder order);

}  // namespace waybill::storage
