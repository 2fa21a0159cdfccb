#pragma once

#include <string>

namespace waybill::domain {

// Who asks, as the door found out.
struct Caller {
  std::string name;
  bool is_admin = false;
  bool may_write_catalog = false;
  std::string address;  // for the audit log
};

}  // namespace waybill::domain
