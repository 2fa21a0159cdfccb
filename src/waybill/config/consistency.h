#pragma once

#include "waybill/config/check.h"
#include "waybill/config/config.h"
#include "waybill/config/report.h"

namespace waybill::config {

// What no setting shows alone: settings that need each other, and what is unsafe together.
void check_consistency(const Section& root, const Config& config, Report& report);

// Whether shell jobs can't be had from elsewhere as the server's own user: they run as another one, or only
// this machine reaches the server.
[[nodiscard]] bool shell_is_safe(const Config& config);

}  // namespace waybill::config
