#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/base/status.h"

// POST /admin/reload.
namespace waybill::rest {
namespace {

Task<absl::StatusOr<Reply>> reload(ApiPtr api, CallPtr call) {
  WB_CO_TRY(require_admin(*call));
  if (!api->services.reload) co_return unavailable("this server was started without a configuration file");
  const absl::Status reloaded = co_await api->services.reload();
  WB_CO_TRY(reloaded);
  co_return json_reply(R"({"reloaded":true})");
}

}  // namespace

void add_admin_routes(Api& api) {
  api.base.add({Method::kPost, "/admin/reload", Needs::kCaller, Audit::kChanges, reload});
}

}  // namespace waybill::rest
