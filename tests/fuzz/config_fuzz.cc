#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "waybill/config/load.h"
#include "waybill/config/test_plugins.h"

// A configuration file: whatever it holds, it is refused with places or loads, and what loads can be shown
// and compared.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waybill::config;
  static const LoadOptions& options = *new LoadOptions(test_options());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Loaded loaded = load_text(text, "fuzz.yaml", options);
  if (loaded.ok() != loaded.mistakes.empty()) std::abort();
  for (const Mistake& one : loaded.mistakes) (void)format_mistake(one);
  if (!loaded.config) return 0;
  (void)show(*loaded.config);
  const ReloadDiff changes = diff(*loaded.config, *loaded.config);
  if (!changes.applied.empty() || !changes.needs_restart.empty()) std::abort();
  return 0;
}
