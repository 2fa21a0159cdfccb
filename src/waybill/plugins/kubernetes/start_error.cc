#include "waybill/plugins/kubernetes/start_error.h"

#include <fmt/format.h>

#include "waybill/base/status.h"
#include "waybill/kube/api_error.h"

namespace waybill::plugins {

bool may_pass(const absl::Status& why) {
  return absl::IsUnavailable(why) || absl::IsResourceExhausted(why) || absl::IsAborted(why);
}

absl::Status start_error(const absl::Status& why, const kube::Resource& resource, std::string_view name_space,
                         std::string_view server) {
  const auto refused = kube::api_error(why);
  const std::string said = refused ? refused->message : message(why);
  const std::string kind = kube::to_string(resource);
  switch (why.code()) {
    case absl::StatusCode::kPermissionDenied:
      if (said.find("exceeded quota") != std::string::npos)
        return error(absl::StatusCode::kResourceExhausted, "quota_exceeded",
                     fmt::format("the quota of the namespace {} is used up ({}): wait until other jobs have "
                                 "ended, ask for less, or have the quota raised",
                                 name_space, said));
      return denied(
          fmt::format("the API server does not let Waybill create {} in the namespace {} ({}): give "
                      "its user or service account that right",
                      kind, name_space, said));
    case absl::StatusCode::kUnauthenticated:
      return error(why.code(), "unauthenticated",
                   fmt::format("the API server {} does not accept Waybill's credentials ({}): check the "
                               "cluster's kubeconfig",
                               server, said));
    case absl::StatusCode::kNotFound:
      if (said.find("namespaces") != std::string::npos)
        return not_found(
            fmt::format("the namespace {} is not there ({}): create it, or correct "
                        "kubernetes.namespace",
                        name_space, said));
      return not_found(
          fmt::format("the cluster does not know {} ({}): install what brings them", kind, said));
    case absl::StatusCode::kInvalidArgument:
      if (!refused) return why;
      return invalid(
          fmt::format("the API server refuses it ({}): correct the template or the context", said));
    default:
      return why;
  }
}

}  // namespace waybill::plugins
