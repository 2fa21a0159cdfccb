#include "waybill/api/grpc/status.h"

#include "waybill/base/status.h"

namespace waybill::rpc {

// absl's codes are google.rpc's. Two are translated: a lost race is to be tried again as a whole, which is
// what UNAVAILABLE tells a client; a code that no handler means to send is a mistake of the server.
::grpc::Status grpc_status(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ::grpc::Status::OK;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return {static_cast<::grpc::StatusCode>(status.code()), message(status)};
    case absl::StatusCode::kAborted:
      return {::grpc::StatusCode::UNAVAILABLE, message(status)};
    default:
      return {::grpc::StatusCode::INTERNAL, "something went wrong in the server: its log says what"};
  }
}

}  // namespace waybill::rpc
