#include "waybill/api/grpc/core_service.h"

#include <fmt/format.h>

#include "waybill/api/grpc/call.h"

namespace waybill::rpc {

::grpc::ServerUnaryReactor* CoreService::refuse(::grpc::CallbackServerContext* context, const char* method) {
  return Core::refuse(context, fmt::format("CoreService.{}", method),
                      "this server keeps no registry of feature tables; ask the feature store's own");
}

}  // namespace waybill::rpc
