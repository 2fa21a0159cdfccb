#include "waybill/base/secret.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string_view>
#include <utility>

#include "waybill/base/file.h"
#include "waybill/base/status.h"

namespace waybill {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxSecretBytes = 1 << 20;

absl::StatusOr<std::string> text_of(const json::object& reference, const Environment& environment) {
  const auto word = [&](std::string_view kind) -> const json::string* {
    const json::value* value = reference.if_contains(kind);
    return value == nullptr ? nullptr : value->if_string();
  };
  if (const json::string* path = word("file")) return read_secret_file(std::string(*path));
  if (const json::string* name = word("env")) {
    std::optional<std::string> value = environment(std::string(*name));
    if (!value) return conflict("the environment variable " + std::string(*name) + " is not set");
    return *std::move(value);
  }
  if (const json::string* text = word("text")) return expand_environment(*text, environment);
  return conflict("a secret must be one of file, env and text");
}

absl::StatusOr<json::value> resolved(const json::value& value, const std::string& path,
                                     const Environment& environment) {
  if (is_secret_reference(value)) {
    const json::value& inner = value.get_object().begin()->value();
    if (!inner.is_object()) return conflict(path + ": a secret must be one of file, env and text");
    absl::StatusOr<std::string> text = text_of(inner.get_object(), environment);
    if (!text.ok()) return conflict(path + ": " + message(text.status()));
    return json::value(*text);
  }
  if (const json::array* array = value.if_array()) {
    json::array out;
    out.reserve(array->size());
    for (const json::value& item : *array) {
      WB_ASSIGN(json::value one, resolved(item, path + "[" + std::to_string(out.size()) + "]", environment));
      out.push_back(std::move(one));
    }
    return out;
  }
  if (const json::object* object = value.if_object()) {
    json::object out;
    out.reserve(object->size());
    for (const auto& member : *object) {
      const std::string name(member.key());
      WB_ASSIGN(json::value one,
                resolved(member.value(), path.empty() ? name : path + "." + name, environment));
      out.emplace(name, std::move(one));
    }
    return out;
  }
  return value;
}

}  // namespace

bool is_secret_reference(const json::value& value) {
  const json::object* object = value.if_object();
  return object != nullptr && object->size() == 1 && object->contains(kSecretKey);
}

bool holds_secret_reference(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    return std::any_of(array->begin(), array->end(), holds_secret_reference);
  }
  if (const json::object* object = value.if_object()) {
    return std::any_of(object->begin(), object->end(), [](const auto& member) {
      return member.key() == kSecretKey || holds_secret_reference(member.value());
    });
  }
  return false;
}

absl::StatusOr<json::object> resolve_secrets(const json::object& context) {
  return resolve_secrets(context, process_environment());
}

absl::StatusOr<json::object> resolve_secrets(const json::object& context, const Environment& environment) {
  json::object out;
  out.reserve(context.size());
  for (const auto& member : context) {
    WB_ASSIGN(json::value one, resolved(member.value(), std::string(member.key()), environment));
    out.emplace(member.key(), std::move(one));
  }
  return out;
}

absl::StatusOr<std::string> read_secret_file(const std::string& path) {
  absl::StatusOr<std::string> read = read_regular_file(path, kMaxSecretBytes);
  if (!read.ok()) return prefixed(read.status(), "the file " + path + " can't be read");
  std::string text = *std::move(read);
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace waybill
