#include "waybill/api/rest/jwt.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/utf8.h"

namespace waybill::rest {
namespace json = boost::json;
namespace {

constexpr std::size_t kTokenBytes = 16384;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Bignum = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using ParamBuild = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

absl::Status refused(std::string_view why) {
  return error(absl::StatusCode::kUnauthenticated, "bad_token",
               fmt::format("the bearer token is refused: {}", why));
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::shared_ptr<EVP_PKEY> make_key(const char* kind, OSSL_PARAM_BLD* build) {
  const Params params(OSSL_PARAM_BLD_to_param(build));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) <= 0) {
    return nullptr;
  }
  return {key, EVP_PKEY_free};
}

std::shared_ptr<EVP_PKEY> rsa_key(const json::object& jwk) {
  const auto n = base64url_decoded(text_of(jwk, "n"));
  const auto e = base64url_decoded(text_of(jwk, "e"));
  if (!n.ok() || !e.ok() || n->empty() || e->empty()) return nullptr;
  const Bignum modulus(BN_bin2bn(bytes(*n), static_cast<int>(n->size()), nullptr));
  const Bignum exponent(BN_bin2bn(bytes(*e), static_cast<int>(e->size()), nullptr));
  if (!modulus || !exponent || BN_num_bits(modulus.get()) < 2048) return nullptr;
  const ParamBuild build(OSSL_PARAM_BLD_new());
  if (!build || OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) != 1) {
    return nullptr;
  }
  return make_key("RSA", build.get());
}

std::shared_ptr<EVP_PKEY> p256_key(const json::object& jwk) {
  const auto x = base64url_decoded(text_of(jwk, "x"));
  const auto y = base64url_decoded(text_of(jwk, "y"));
  if (text_of(jwk, "crv") != "P-256" || !x.ok() || !y.ok() || x->size() != 32 || y->size() != 32)
    return nullptr;
  const std::string point = '\x04' + *x + *y;
  const ParamBuild build(OSSL_PARAM_BLD_new());
  if (!build ||
      OSSL_PARAM_BLD_push_utf8_string(build.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(build.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) !=
          1) {
    return nullptr;
  }
  return make_key("EC", build.get());
}

// r and s, 32 bytes each, as the DER that OpenSSL takes.
std::string der_signature(std::string_view raw) {
  if (raw.size() != 64) return {};
  const Signature signature(ECDSA_SIG_new());
  Bignum r(BN_bin2bn(bytes(raw), 32, nullptr));
  Bignum s(BN_bin2bn(bytes(raw) + 32, 32, nullptr));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // the signature owns them now
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return out;
}

bool signed_by(const JwtKeys::Key& key, std::string_view text, std::string_view signature) {
  const std::string der = key.algorithm == "ES256" ? der_signature(signature) : std::string(signature);
  const DigestContext context(EVP_MD_CTX_new());
  if (!context || der.empty()) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.key.get()) != 1) return false;
  return EVP_DigestVerify(context.get(), bytes(der), der.size(), bytes(text), text.size()) == 1;
}

absl::StatusOr<json::object> part(std::string_view text) {
  const auto decoded = base64url_decoded(text);
  if (!decoded.ok()) return refused("it is no JSON Web Token");
  auto value = parse_json(*decoded);
  if (!value.ok() || !value->is_object()) return refused("it is no JSON Web Token");
  return std::move(value->get_object());
}

// A time claim in unix seconds; nullopt where there is none. An error where it is no number.
absl::StatusOr<std::optional<absl::Time>> time_of(const json::object& claims, std::string_view name) {
  const json::value* value = claims.if_contains(name);
  if (value == nullptr) return std::optional<absl::Time>();
  if (!value->is_number()) return refused(fmt::format("its {} is no number", name));
  return std::optional<absl::Time>(absl::UnixEpoch() + absl::Seconds(value->to_number<double>()));
}

bool is_for(const json::object& claims, const std::string& audience) {
  const json::value* value = claims.if_contains("aud");
  if (value == nullptr) return false;
  if (value->is_string()) return value->get_string() == audience;
  if (!value->is_array()) return false;
  for (const json::value& one : value->get_array()) {
    if (one.is_string() && one.get_string() == audience) return true;
  }
  return false;
}

absl::StatusOr<std::string> check_claims(const json::object& claims, const JwtRules& rules, absl::Time now) {
  if (text_of(claims, "iss") != rules.issuer) return refused("it is from another issuer");
  if (!is_for(claims, rules.audience)) return refused("it is for another audience");
  WB_ASSIGN(const auto expires, time_of(claims, "exp"));
  WB_ASSIGN(const auto begins, time_of(claims, "nbf"));
  if (!expires) return refused("it has no exp");
  if (now >= *expires + rules.leeway) return refused("it has expired");
  if (begins && now + rules.leeway < *begins) return refused("it is not valid yet");
  std::string subject = text_of(claims, "sub");
  if (subject.empty() || subject.size() > 256 || has_control_character(subject)) {
    return refused("its sub is no name");
  }
  return subject;
}

}  // namespace

absl::StatusOr<std::string> base64url_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size() * 3 / 4);
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    unsigned value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<unsigned>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<unsigned>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      value = static_cast<unsigned>(c - '0') + 52;
    } else if (c == '-' || c == '_') {
      value = c == '-' ? 62 : 63;
    } else {
      return invalid("this is not base64url");
    }
    bits = (bits << 6U | value) & 0xffffU;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xffU);
    }
  }
  if (held == 6 || (bits & ((1U << static_cast<unsigned>(held)) - 1)) != 0)
    return invalid("this is not base64url");
  return out;
}

absl::StatusOr<std::shared_ptr<const JwtKeys>> JwtKeys::parse(std::string_view document) {
  WB_ASSIGN(const json::value value, parse_json(document));
  const json::value* list = value.is_object() ? value.get_object().if_contains("keys") : nullptr;
  if (list == nullptr || !list->is_array()) return invalid("the key set has no list of keys");
  auto keys = std::make_shared<JwtKeys>();
  for (const json::value& item : list->get_array()) {
    if (!item.is_object()) continue;
    const json::object& jwk = item.get_object();
    const std::string use = text_of(jwk, "use");
    if (!use.empty() && use != "sig") continue;
    Key key;
    if (text_of(jwk, "kty") == "RSA") key = {"RS256", rsa_key(jwk)};
    if (text_of(jwk, "kty") == "EC") key = {"ES256", p256_key(jwk)};
    if (key.key) keys->keys_.insert_or_assign(text_of(jwk, "kid"), std::move(key));
  }
  return keys;
}

const JwtKeys::Key* JwtKeys::find(const std::string& id) const {
  const auto found = keys_.find(id);
  if (found != keys_.end()) return &found->second;
  return id.empty() && keys_.size() == 1 ? &keys_.begin()->second : nullptr;
}

absl::StatusOr<std::string> verify_jwt(std::string_view token, const JwtKeys& keys, const JwtRules& rules,
                                       absl::Time now) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (token.size() > kTokenBytes || second == std::string_view::npos ||
      token.find('.', second + 1) != std::string_view::npos) {
    return refused("it is no JSON Web Token");
  }
  WB_ASSIGN(const json::object header, part(token.substr(0, first)));
  const std::string algorithm = text_of(header, "alg");
  if (algorithm != "RS256" && algorithm != "ES256")
    return refused("its algorithm is neither RS256 nor ES256");
  if (header.contains("crit")) return refused("it has critical extensions");
  const JwtKeys::Key* key = keys.find(text_of(header, "kid"));
  if (key == nullptr) {
    return error(absl::StatusCode::kUnauthenticated, "unknown_key",
                 "the bearer token is refused: its key is unknown");
  }
  const auto signature = base64url_decoded(token.substr(second + 1));
  if (key->algorithm != algorithm || !signature.ok() ||
      !signed_by(*key, token.substr(0, second), *signature)) {
    return refused("its signature is wrong");
  }
  WB_ASSIGN(const json::object claims, part(token.substr(first + 1, second - first - 1)));
  return check_claims(claims, rules, now);
}

}  // namespace waybill::rest
