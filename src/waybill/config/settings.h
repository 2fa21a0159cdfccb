#pragma once

#include "waybill/config/check.h"
#include "waybill/config/config.h"
#include "waybill/config/report.h"

namespace waybill::config {

// Writes all settings at a fixed path into `config` and its list of effective settings: aliases and
// Heimdall's `auth.plugin` are resolved.
void apply_settings(const Section& root, Config& config, Report& report);

}  // namespace waybill::config
