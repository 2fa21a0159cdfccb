#pragma once

#include <absl/status/status.h>
#include <grpcpp/support/status.h>

namespace waybill::rpc {

// The one place that knows which gRPC status an error is. What a client must not see (internal errors) is
// replaced by a general sentence.
[[nodiscard]] ::grpc::Status grpc_status(const absl::Status& status);

}  // namespace waybill::rpc
