#include "waybill/base/md5.h"

#include <openssl/evp.h>

#include <array>
#include <span>

#include "waybill/base/hex.h"

namespace waybill {

std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr);
  return hex_of(std::span(digest).first(size));
}

}  // namespace waybill
