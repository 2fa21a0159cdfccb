#include "waybill/config/forms.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <arpa/inet.h>
#include <re2/re2.h>

#include <array>

#include "waybill/base/utf8.h"
#include "waybill/domain/catalog.h"

namespace waybill::config {
namespace {

bool is_ip(int family, const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, text.c_str(), bytes.data()) == 1;
}

bool is_port(const std::string& text) {
  int port = 0;
  return !text.empty() && text.size() <= 5 && absl::SimpleAtoi(text, &port) && port >= 0 && port <= 65535;
}

// The host of an address, "" for all; false: it is none.
bool split_address(const std::string& address, std::string* host) {
  static const RE2& form = *new RE2(R"((?:\[([0-9A-Fa-f:.%]+)\]|([A-Za-z0-9._-]*)):([0-9]+))");
  std::string v6;
  std::string name;
  std::string port;
  if (!RE2::FullMatch(address, form, &v6, &name, &port) || !is_port(port)) return false;
  if (!v6.empty() && !is_ip(AF_INET6, v6)) return false;
  *host = v6.empty() ? name : v6;
  return true;
}

// s3:///a is a path too, but nobody means it.
bool is_folder(const std::string& text) {
  static const RE2& url = *new RE2(R"([A-Za-z][A-Za-z0-9+.-]*:/.*)");
  return !text.empty() && !RE2::FullMatch(text, url);
}

bool is_address(const std::string& text) {
  std::string host;
  if (text.starts_with("unix:")) return text.size() > 5;
  return text.empty() || split_address(text, &host);
}

bool is_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  const bool v4 = is_ip(AF_INET, address);
  if (!v4 && !is_ip(AF_INET6, address)) return false;
  if (slash == std::string::npos) return true;
  int bits = -1;
  return absl::SimpleAtoi(text.substr(slash + 1), &bits) && bits >= 0 && bits <= (v4 ? 32 : 128);
}

bool is_database(const std::string& text) {
  if (text.starts_with("sqlite:")) return text.size() > 7;
  static const RE2& form = *new RE2(R"(postgres(?:ql)?://[^\s/?]*(?:/[^\s]*)?(?:\?[^\s]*)?)");
  return RE2::FullMatch(text, form);
}

bool is_scheme(const std::string& text) {
  static const RE2& form = *new RE2(R"([a-z][a-z0-9+.-]*)");
  return RE2::FullMatch(text, form) && text != "javascript" && text != "data" && text != "vbscript";
}

bool is_tag(const std::string& text) { return !text.empty() && !has_control_character(text); }

}  // namespace

bool has_form(Form form, const std::string& text) {
  static const RE2& header = *new RE2(R"([-!#$%&'*+.^_`|~0-9A-Za-z]+)");
  static const RE2& name_space = *new RE2(R"([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)");
  static const RE2& url = *new RE2(R"((?i:https?)://[^\s/?#]+[^\s]*)");
  switch (form) {
    case Form::kAny:
      return true;
    case Form::kFilled:
      return !text.empty();
    case Form::kFolder:
      return is_folder(text);
    case Form::kAddress:
      return is_address(text);
    case Form::kDatabase:
      return is_database(text);
    case Form::kUrl:
      return text.empty() || RE2::FullMatch(text, url);
    case Form::kHeader:
      return RE2::FullMatch(text, header);
    case Form::kNetwork:
      return is_network(text);
    case Form::kScheme:
      return is_scheme(text);
    case Form::kNamespace:
      return RE2::FullMatch(text, name_space);
    case Form::kStatus:
      return domain::parse_entry_status(text).has_value();
    case Form::kTag:
      return is_tag(text);
  }
  return false;
}

bool is_local_address(const std::string& address) {
  std::string host;
  if (address.empty() || address.starts_with("unix:")) return true;
  if (!split_address(address, &host)) return false;
  return host == "localhost" || host == "::1" || (is_ip(AF_INET, host) && host.starts_with("127."));
}

std::string pattern_fault(const std::string& pattern) {
  if (absl::StripAsciiWhitespace(pattern).empty()) return "it is empty: nobody has such a name";
  RE2::Options quiet;
  quiet.set_log_errors(false);
  const RE2 compiled(pattern, quiet);
  return compiled.ok() ? "" : compiled.error();
}

}  // namespace waybill::config
