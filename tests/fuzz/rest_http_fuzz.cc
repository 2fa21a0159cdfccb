// Bytes of a connection: the first byte says where they are cut in two, as packets may be.

#include <boost/beast/core/flat_buffer.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "waybill/api/rest/http/request_reading.h"

namespace {

void put(boost::beast::flat_buffer& buffer, std::string_view bytes) {
  if (bytes.empty()) return;
  const auto room = buffer.prepare(bytes.size());
  std::memcpy(room.data(), bytes.data(), bytes.size());
  buffer.commit(bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t cut = text.empty() ? 0 : data[0] % text.size();
  boost::beast::flat_buffer buffer;
  waybill::rest::RequestReader reader(4096, 4096);
  for (const std::string_view part : {text.substr(0, cut), text.substr(cut)}) {
    put(buffer, part);
    reader.take(buffer);
    if (reader.problem()) {
      if (!reader.refused().refused) std::abort();
      return 0;
    }
    static_cast<void>(reader.headers_just_ended());
    if (reader.done()) {
      const auto outcome = reader.finish();
      if (!outcome.request || outcome.request->body.size() > 4096) std::abort();
      return 0;
    }
  }
  return 0;
}
