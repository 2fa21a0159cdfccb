#include <memory>
#include <utility>

#include "waybill/api/rest/http/connection.h"

namespace waybill::rest {

Task<void> serve_plain(std::shared_ptr<ServerCore> core, PlainSocket socket, Peer peer) {
  auto connection =
      std::make_shared<Connection<PlainSocket>>(std::move(core), std::move(socket), std::move(peer));
  co_await Connection<PlainSocket>::serve(std::move(connection));
}

}  // namespace waybill::rest
