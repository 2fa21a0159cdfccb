#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <string>

#include "waybill/base/task.h"

namespace waybill::ports {

struct AuditEntry {
  std::string who;      // caller
  std::string what;     // "PUT /command/x", "command override dropped", …
  std::string where;    // address
  std::string outcome;  // "ok", "denied", or an error's word
};

class AuditLog {
 public:
  virtual ~AuditLog() = default;
  virtual Task<absl::Status> append(AuditEntry entry) = 0;
};

}  // namespace waybill::ports
