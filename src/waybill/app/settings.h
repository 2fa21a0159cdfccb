#pragma once

#include <string_view>
#include <vector>

#include "waybill/api/grpc/grpc_server.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/base/ids.h"
#include "waybill/config/config.h"
#include "waybill/engine/attributes.h"
#include "waybill/engine/engine.h"
#include "waybill/engine/instance_identity.h"
#include "waybill/plugins/kubernetes/kubernetes_options.h"
#include "waybill/plugins/shell/shell_config.h"
#include "waybill/storage/database.h"

// From the one configuration to the options of each part.
namespace waybill::app {

// Whether this instance runs a part ("api").
[[nodiscard]] bool has_role(const config::Config& config, std::string_view role);

// Of the attributes of jobs, of records and of previews.
[[nodiscard]] engine::RenderOptions render_options(const config::Config& config);
[[nodiscard]] engine::EngineOptions engine_options(const config::Config& config,
                                                   const engine::InstanceIdentity& identity,
                                                   std::vector<ports::SharedDirectory> shared);
[[nodiscard]] rest::RestOptions rest_options(const config::Config& config);
[[nodiscard]] rpc::GrpcOptions grpc_options(const config::Config& config);
[[nodiscard]] ports::RunLimits run_limits(const config::Config& config);
[[nodiscard]] plugins::KubernetesOptions kubernetes_options(const config::Config& config);
[[nodiscard]] plugins::ShellOptions shell_options(const config::Config& config);
[[nodiscard]] storage::DatabaseOptions database_options(const config::Config& config,
                                                        const InstanceId& instance);

}  // namespace waybill::app
