#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "waybill/base/status.h"
#include "waybill/kube/kubeconfig.h"

// A kubeconfig: whatever it holds, it is refused with a sentence or gives an access with a server.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto access = waybill::kube::parse_kubeconfig(text, "/fuzz/config", "");
  if (access.ok() && access->server.empty()) std::abort();
  if (!access.ok() && waybill::message(access.status()).empty()) std::abort();
  return 0;
}
