#pragma once

#include <absl/status/status.h>

#include "waybill/domain/catalog.h"
#include "waybill/engine/engine.h"

// What an entry that is PUT must look like. InvalidArgument names the member and what would be right.
namespace waybill::engine {

[[nodiscard]] absl::Status check_command(const domain::Command& command, const EngineOptions& options,
                                         const ports::Executors& executors);
// The context is held against the executors of those commands of `catalog` whose jobs may come to it.
[[nodiscard]] absl::Status check_cluster(const domain::Cluster& cluster, const EngineOptions& options,
                                         const ports::Executors& executors, const domain::Catalog& catalog);

}  // namespace waybill::engine
