#include "waybill/base/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/secret.h"

namespace waybill {
namespace json = boost::json;
namespace {

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '-' || c == '_' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace

Redactor::Redactor(std::vector<std::string> secret_keys) {
  for (const std::string& key : secret_keys) {
    if (!key.empty()) words_.push_back(folded(key));
  }
}

bool Redactor::is_secret_key(std::string_view key) const {
  const std::string name = folded(key);
  return std::any_of(words_.begin(), words_.end(),
                     [&](const std::string& word) { return name.find(word) != std::string::npos; });
}

json::value Redactor::masked(const json::value& value) const {
  if (is_secret_reference(value)) return kSecretMask;
  if (const json::object* object = value.if_object()) return masked(*object);
  if (const json::array* array = value.if_array()) {
    json::array out;
    out.reserve(array->size());
    for (const json::value& item : *array) out.push_back(masked(item));
    return out;
  }
  return value;
}

json::object Redactor::masked(const json::object& object) const {
  json::object out;
  out.reserve(object.size());
  for (const auto& member : object) {
    out.emplace(member.key(),
                is_secret_key(member.key()) ? json::value(kSecretMask) : masked(member.value()));
  }
  return out;
}

std::string masked_connection(std::string_view connection) {
  static const RE2& url = *new RE2(R"((://[^:/@\s]*):[^@\s]*@)");
  static const RE2& word = *new RE2(R"((?i)(password|passfile|sslpassword)(\s*=\s*)('[^']*'|[^&\s]*))");
  std::string out(connection);
  RE2::GlobalReplace(&out, url, "\\1:***@");
  RE2::GlobalReplace(&out, word, "\\1\\2***");
  return out;
}

}  // namespace waybill
