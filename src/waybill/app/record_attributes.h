#pragma once

#include <functional>
#include <memory>

#include "waybill/base/redact.h"
#include "waybill/domain/catalog.h"
#include "waybill/engine/attributes.h"
#include "waybill/history/decision.h"

namespace waybill::app {

// Renders the attributes of a record's cluster, as the catalog has them at that moment (docs/attributes.md,
// "Records"). `redactor` outlives it.
[[nodiscard]] history::RenderAttributes record_attributes(
    std::function<std::shared_ptr<const domain::Catalog>()> catalog, const Redactor& redactor,
    engine::RenderOptions options);

}  // namespace waybill::app
