#pragma once

#include "waybill/ports/audit_log.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

class SqlAuditLog : public ports::AuditLog {
 public:
  explicit SqlAuditLog(Writer& writer) : writer_(writer) {}
  Task<absl::Status> append(ports::AuditEntry entry) override;

 private:
  Writer& writer_;
};

}  // namespace waybill::storage
