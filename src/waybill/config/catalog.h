#pragma once

#include "waybill/base/environment.h"
#include "waybill/config/check.h"
#include "waybill/config/config.h"
#include "waybill/config/load.h"
#include "waybill/config/report.h"
#include "waybill/domain/catalog.h"

namespace waybill::config {

// Reads `commands` and `clusters` and holds them against each other, the plugins and the limits of `config`.
[[nodiscard]] domain::Catalog read_catalog(const Section& root, const Config& config,
                                           const LoadOptions& options, const Environment& environment,
                                           Report& report);

// Tells of items whose `key` another one had before. `what`: "id" or "name", for the message.
void check_unique(const std::vector<Section>& items, const std::function<std::string(const Section&)>& key,
                  const std::string& what, Report& report);

}  // namespace waybill::config
