// Bearer tokens and key sets. No token can be good: nobody here has a key to sign it.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "waybill/api/rest/jwt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto keys = waybill::rest::JwtKeys::parse(text);
  static const auto& some = *new auto(*waybill::rest::JwtKeys::parse(
      R"({"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
      R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})"));
  const waybill::rest::JwtRules rules{"https://id.example.com", "waybill", absl::Seconds(60)};
  if (waybill::rest::verify_jwt(text, *some, rules, absl::UnixEpoch()).ok()) std::abort();
  return 0;
}
