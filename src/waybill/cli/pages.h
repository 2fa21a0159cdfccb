#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "waybill/cli/api.h"

namespace waybill::cli {

struct Row {
  const boost::json::object& object;
  std::string_view text;  // as the server sent it
};

// Where a list stopped.
struct PagesEnd {
  bool more = false;        // there are further rows
  std::string next_cursor;  // of the page after the last one read
};

// Reads pages of a list until `limit` rows were seen or there are no more; short pages are normal. `take`
// gets each page's rows. An error: what the server says, or that it sends the same cursor again and again.
[[nodiscard]] absl::StatusOr<PagesEnd> read_pages(
    const Api& api, const std::string& path, Query query, std::size_t limit,
    const std::function<absl::Status(const std::vector<Row>&)>& take);

}  // namespace waybill::cli
