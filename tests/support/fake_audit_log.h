#pragma once

#include <utility>
#include <vector>

#include "waybill/ports/audit_log.h"

namespace waybill::testing {

class FakeAuditLog : public ports::AuditLog {
 public:
  std::vector<ports::AuditEntry> entries;
  Task<absl::Status> append(ports::AuditEntry entry) override {
    entries.push_back(std::move(entry));
    co_return absl::OkStatus();
  }
};

}  // namespace waybill::testing
