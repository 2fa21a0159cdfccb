#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

namespace waybill::domain {

struct ResultColumn {
  std::string name;
  std::string type;
};

// What a job answers. Rows are arrays of as many values as there are columns.
struct ResultTable {
  std::vector<ResultColumn> columns;
  boost::json::array rows;
  bool truncated = false;  // by limits.result_rows or limits.result_bytes
};

}  // namespace waybill::domain
