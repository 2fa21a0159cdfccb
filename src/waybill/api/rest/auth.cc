#include "waybill/api/rest/auth.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/utf8.h"

namespace waybill::rest {
namespace ip = boost::asio::ip;
namespace {

constexpr std::size_t kNameBytes = 256;

// An address as 16 bytes, IPv4 in its mapped form, so that one comparison serves both.
std::array<unsigned char, 16> bytes_of(const ip::address& address) {
  if (address.is_v6()) return address.to_v6().to_bytes();
  return ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes();
}

struct Network {
  std::array<unsigned char, 16> bytes{};
  unsigned bits = 128;

  [[nodiscard]] bool holds(const ip::address& address) const {
    const auto other = bytes_of(address);
    for (unsigned i = 0; i < bits; ++i) {
      const unsigned mask = 0x80U >> (i % 8);
      if ((bytes[i / 8] & mask) != (other[i / 8] & mask)) return false;
    }
    return true;
  }
};

absl::StatusOr<Network> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  boost::system::error_code problem;
  const ip::address address = ip::make_address(text.substr(0, slash), problem);
  unsigned bits = address.is_v4() ? 32 : 128;
  const unsigned most = bits;
  bool good = !problem;
  if (good && slash != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + slash + 1, end, bits);
    good = read.ec == std::errc() && read.ptr == end && bits <= most;
  }
  if (!good)
    return invalid(fmt::format("auth.trusted_proxies: \"{}\" is neither an address nor a network", text));
  Network network;
  network.bytes = bytes_of(address);
  network.bits = bits + (address.is_v4() ? 96 : 0);
  return network;
}

using Patterns = std::vector<std::unique_ptr<RE2>>;

absl::StatusOr<Patterns> parse_patterns(std::string_view setting, const std::vector<std::string>& texts) {
  Patterns patterns;
  for (const std::string& text : texts) {
    auto pattern = std::make_unique<RE2>(text, RE2::Quiet);
    if (!pattern->ok())
      return invalid(fmt::format("{}: \"{}\" is no pattern: {}", setting, text, pattern->error()));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

bool matches(const Patterns& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& pattern) { return RE2::FullMatch(name, *pattern); });
}

absl::Status check_name(std::string_view name) {
  if (has_control_character(name)) return invalid("the caller's name has a control character");
  if (name.size() > kNameBytes)
    return invalid(fmt::format("the caller's name is longer than {} bytes", kNameBytes));
  return absl::OkStatus();
}

// "https://host:port" as "host:port".
std::string_view host_of(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return {};
  return origin.substr(scheme + 3);
}

}  // namespace

struct Authenticator::Rules {
  std::vector<Network> proxies;
  Patterns admins;
  Patterns writers;
};

Authenticator::Authenticator(AuthOptions options, std::unique_ptr<const Rules> rules)
    : options_(std::move(options)), rules_(std::move(rules)) {}
Authenticator::~Authenticator() = default;

absl::StatusOr<std::shared_ptr<const Authenticator>> Authenticator::make(AuthOptions options) {
  auto rules = std::make_unique<Rules>();
  for (const std::string& text : options.trusted_proxies) {
    WB_ASSIGN(Network network, parse_network(text));
    rules->proxies.push_back(network);
  }
  WB_ASSIGN(rules->admins, parse_patterns("auth.admins", options.admins));
  WB_ASSIGN(rules->writers, parse_patterns("auth.catalog_writers", options.catalog_writers));
  return std::shared_ptr<const Authenticator>(new Authenticator(std::move(options), std::move(rules)));
}

bool Authenticator::trusts(const Request& request) const {
  if (request.peer_local) return true;
  boost::system::error_code problem;
  const ip::address address = ip::make_address(request.peer, problem);
  if (problem) return false;
  return std::any_of(rules_->proxies.begin(), rules_->proxies.end(),
                     [&](const Network& network) { return network.holds(address); });
}

absl::StatusOr<std::string> Authenticator::name_of(const Request& request) const {
  std::string name;
  if (options_.mode == AuthMode::kMtls) {
    name = request.tls_user;
  } else if (options_.mode == AuthMode::kHeader) {
    if (request.headers.count(options_.header) > 1) {
      return invalid(fmt::format("the header {} was sent twice", options_.header));
    }
    const std::string* value = request.headers.find(options_.header);
    if (value != nullptr && trusts(request)) name = trimmed(*value);
  }
  WB_TRY(check_name(name));
  return name;
}

std::string_view Authenticator::bearer(const Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string* value = request.headers.find("Authorization");
  if (value == nullptr || request.headers.count("Authorization") > 1) return {};
  const std::string_view text = *value;
  if (text.size() <= kScheme.size() || !same_letters(text.substr(0, kScheme.size()), kScheme)) return {};
  return trimmed(text.substr(kScheme.size()));
}

domain::Caller Authenticator::caller(std::string name, const Request& request) const {
  domain::Caller caller;
  caller.address = request.peer;
  if (const std::string* chain = request.headers.find("X-Forwarded-For");
      chain != nullptr && trusts(request)) {
    const std::string_view last = trimmed(std::string_view(*chain).substr(chain->rfind(',') + 1));
    boost::system::error_code problem;
    const ip::address address = ip::make_address(std::string(last), problem);
    if (!problem) caller.address = address.to_string();
  }
  if (name.empty()) return caller;
  caller.is_admin = matches(rules_->admins, name);
  caller.may_write_catalog = caller.is_admin || matches(rules_->writers, name);
  caller.name = std::move(name);
  return caller;
}

absl::Status Authenticator::same_origin(const Request& request) const {
  const auto refused = [] {
    return error(absl::StatusCode::kPermissionDenied, "cross_site",
                 "a page of another origin may not change anything here");
  };
  const std::string* site = request.headers.find("Sec-Fetch-Site");
  if (site != nullptr && same_letters(*site, "cross-site")) return refused();
  const std::string* origin = request.headers.find("Origin");
  if (origin == nullptr) return absl::OkStatus();
  const std::string_view from = host_of(*origin);
  const std::string* host = request.headers.find("Host");
  if (!from.empty() && host != nullptr && same_letters(from, *host)) return absl::OkStatus();
  const std::string* forwarded = request.headers.find("X-Forwarded-Host");
  if (!from.empty() && forwarded != nullptr && trusts(request) && same_letters(from, *forwarded)) {
    return absl::OkStatus();
  }
  return refused();
}

}  // namespace waybill::rest
