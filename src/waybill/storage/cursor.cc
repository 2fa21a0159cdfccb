#include "waybill/storage/cursor.h"

#include <absl/strings/escaping.h>

#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

absl::Status no_cursor() { return invalid("invalid pagination cursor"); }

}  // namespace

bool has_text_key(ports::JobOrder order) {
  return order == ports::JobOrder::kId || order == ports::JobOrder::kCreatedAt ||
         order == ports::JobOrder::kName;
}

std::string to_cursor(const Position& position, ports::JobOrder order, bool descending) {
  json::array parts;
  parts.emplace_back(static_cast<std::int64_t>(order));
  parts.emplace_back(descending);
  if (has_text_key(order)) {
    parts.emplace_back(as_text(position.key));
  } else {
    parts.emplace_back(as_int(position.key));
  }
  parts.emplace_back(position.id);
  return absl::WebSafeBase64Escape(json::serialize(parts));
}

absl::StatusOr<Position> parse_cursor(const std::string& cursor, ports::JobOrder order, bool descending) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(cursor, &text)) return no_cursor();
  const absl::StatusOr<json::value> value = parse_json(text);
  if (!value.ok() || !value->is_array()) return no_cursor();
  const json::array& parts = value->get_array();
  if (parts.size() != 4 || !parts[0].is_int64() || !parts[1].is_bool() || !parts[3].is_string())
    return no_cursor();
  if (parts[0].get_int64() != static_cast<std::int64_t>(order) || parts[1].get_bool() != descending) {
    return no_cursor();
  }
  Position position;
  position.id = std::string(parts[3].get_string());
  if (has_text_key(order)) {
    if (!parts[2].is_string()) return no_cursor();
    position.key = std::string(parts[2].get_string());
  } else {
    if (!parts[2].is_int64()) return no_cursor();
    position.key = parts[2].get_int64();
  }
  return position;
}

}  // namespace waybill::storage
