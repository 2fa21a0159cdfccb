#pragma once

// feast.core.CoreService. Internal to api/grpc.

#include "feast/core/core_service.grpc.pb.h"

namespace waybill::rpc {

// The registry of a feature store. This server keeps none: every method says so. Any thread of gRPC.
class CoreService final : public feast::core::CoreService::CallbackService {
 public:
  // NOLINTBEGIN(readability-identifier-naming): gRPC's names
#define WB_NO_REGISTRY(Method)                                                                            \
  ::grpc::ServerUnaryReactor* Method(::grpc::CallbackServerContext* context,                              \
                                     const feast::core::Method##Request*, feast::core::Method##Response*) \
      override {                                                                                          \
    return refuse(context, #Method);                                                                      \
  }
  WB_NO_REGISTRY(GetFeastCoreVersion)
  WB_NO_REGISTRY(GetEntity)
  WB_NO_REGISTRY(ListFeatures)
  WB_NO_REGISTRY(ApplyEntity)
  WB_NO_REGISTRY(ListEntities)
  WB_NO_REGISTRY(CreateProject)
  WB_NO_REGISTRY(ArchiveProject)
  WB_NO_REGISTRY(ListProjects)
  WB_NO_REGISTRY(ApplyFeatureTable)
  WB_NO_REGISTRY(ListFeatureTables)
  WB_NO_REGISTRY(GetFeatureTable)
  WB_NO_REGISTRY(DeleteFeatureTable)
  WB_NO_REGISTRY(ListOnlineStores)
  WB_NO_REGISTRY(GetOnlineStore)
  WB_NO_REGISTRY(RegisterOnlineStore)
  WB_NO_REGISTRY(ArchiveOnlineStore)
#undef WB_NO_REGISTRY
  // NOLINTEND(readability-identifier-naming)

 private:
  static ::grpc::ServerUnaryReactor* refuse(::grpc::CallbackServerContext* context, const char* method);
};

}  // namespace waybill::rpc
