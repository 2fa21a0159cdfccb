#include "waybill/storage/audit_log.h"

#include <utility>

#include "waybill/storage/calls.h"

namespace waybill::storage {

Task<absl::Status> SqlAuditLog::append(ports::AuditEntry entry) {
  std::vector<Call> calls;
  calls.push_back({"insert_audit",
                   {{"who", std::move(entry.who)},
                    {"what", std::move(entry.what)},
                    {"origin", std::move(entry.where)},
                    {"outcome", std::move(entry.outcome)}}});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

}  // namespace waybill::storage
