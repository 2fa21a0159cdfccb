#pragma once

#include "waybill/base/environment.h"
#include "waybill/config/check.h"
#include "waybill/config/config.h"
#include "waybill/config/report.h"

namespace waybill::config {

// Reads the lists beside the catalog: webhooks, rbacs, history and the feature store.
void read_webhooks(const Section& root, Config& config);
void read_rbacs(const Section& root, Config& config, Report& report);
// After the catalog: `cluster` must be one of it.
void read_history(const Section& root, Config& config, Report& report);
void read_feature_store(const Section& root, Config& config, const Environment& environment, Report& report);

}  // namespace waybill::config
