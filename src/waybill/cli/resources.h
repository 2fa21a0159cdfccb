#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string>
#include <vector>

#include "waybill/cli/command.h"
#include "waybill/cli/session.h"

namespace waybill::cli {

struct ResourceColumn {
  TableColumn shown;
  std::function<std::string(const boost::json::object&, const Session&)> text;
  bool only_wide = false;
};

// A kind of object that can be got and listed.
struct Resource {
  std::string singular;  // "job"; the path of one is /job/{id}
  std::string plural;    // "jobs"; the path of all
  std::vector<Flag> filters;
  std::vector<ResourceColumn> columns;
};

[[nodiscard]] Resource jobs_resource();
[[nodiscard]] Resource commands_resource();
[[nodiscard]] Resource clusters_resource();
[[nodiscard]] Resource records_resource();
[[nodiscard]] std::vector<Resource> all_resources();

// The columns that the form of output shows, and a row of them.
[[nodiscard]] std::vector<TableColumn> shown_columns(const Resource& resource, const Session& session);
[[nodiscard]] std::vector<std::string> row_of(const Resource& resource, const boost::json::object& object,
                                              const Session& session);

// The filters that were given, as parameters of the query ("order-by" is "order_by", times are RFC 3339).
[[nodiscard]] Query filter_query(const std::vector<Flag>& filters, const Invocation& invocation,
                                 absl::Time now);

}  // namespace waybill::cli
