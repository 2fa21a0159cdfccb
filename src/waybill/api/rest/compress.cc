#include "waybill/api/rest/compress.h"

#include <zlib.h>

#include "waybill/api/rest/http/message.h"
#include "waybill/api/rest/query.h"

namespace waybill::rest {

bool accepts_gzip(std::string_view accept_encoding) {
  for (const std::string& part : comma_list(accept_encoding)) {
    const std::string_view item = part;
    const std::size_t semicolon = item.find(';');
    if (!same_letters(trimmed(item.substr(0, semicolon)), "gzip")) continue;
    if (semicolon == std::string_view::npos) return true;
    const std::string_view weight = trimmed(item.substr(semicolon + 1));
    return weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

std::string gzipped(std::string_view text) {
  constexpr int kLevel = 4;
  constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib reads it only
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(result == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

}  // namespace waybill::rest
