#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "waybill/base/utf8.h"
#include "waybill/plugins/shell/output_file.h"

// Whatever a job writes to $WAYBILL_OUTPUT: what comes out keeps the promises of output_file.h.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waybill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const plugins::ParsedOutputs ended = plugins::parse_outputs(text, true);
  const plugins::ParsedOutputs growing = plugins::parse_outputs(text, false);
  if (ended.notes.size() > 20 || ended.values.size() > plugins::kOutputKeys) std::abort();
  for (const auto& [key, value] : ended.values) {
    if (key.empty() || value.size() > plugins::kOutputValueBytes || !is_clean_utf8(value)) std::abort();
  }
  // Only the last line may still be on its way.
  if (growing.values.size() > ended.values.size()) std::abort();
  return 0;
}
