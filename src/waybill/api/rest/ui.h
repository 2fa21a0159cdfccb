#pragma once

#include "waybill/api/rest/api.h"

namespace waybill::rest {

// The answer to a path outside the API that belongs to the web UI: its files under /ui/, and "/" which leads
// there. nullopt: not the UI's.
[[nodiscard]] std::optional<Reply> ui_reply(const Api& api, const Request& request,
                                            const std::vector<std::string>& segments);

}  // namespace waybill::rest
