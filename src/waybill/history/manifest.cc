#include "waybill/history/manifest.h"

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace waybill::history {
namespace json = boost::json;
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

void copy(const json::object& from, std::string_view name, const Redactor* mask, json::object& to) {
  const json::value* value = from.if_contains(name);
  if (value == nullptr || value->is_null()) return;
  if (mask == nullptr) {
    to[name] = *value;
  } else {
    to[name] = mask->is_secret_key(name) ? json::value(kSecretMask) : mask->masked(*value);
  }
}

// Environment variables are lists of {name, value} under `env`, or maps under `envVars`; what they refer to
// (valueFrom, envSecretKeyRefs) names a secret and is none.
void mask_environment(json::value& value) {
  if (json::array* array = value.if_array()) {
    for (json::value& item : *array) mask_environment(item);
    return;
  }
  json::object* object = value.if_object();
  if (object == nullptr) return;
  for (auto& [name, inner] : *object) {
    if (name == "env" && inner.is_array()) {
      for (json::value& variable : inner.get_array()) {
        json::object* members = variable.if_object();
        if (members != nullptr && members->contains("value")) (*members)["value"] = kSecretMask;
      }
    } else if (name == "envVars" && inner.is_object()) {
      for (auto& variable : inner.get_object()) variable.value() = kSecretMask;
    } else {
      mask_environment(inner);
    }
  }
}

json::object metadata_of(const json::object& metadata, const Redactor* mask) {
  json::object kept;
  for (const char* name : {"name", "namespace", "uid", "labels", "annotations", "ownerReferences"}) {
    copy(metadata, name, mask, kept);
  }
  json::value* annotations = kept.if_contains("annotations");
  if (annotations != nullptr && annotations->is_object()) {
    annotations->get_object().erase(kLastApplied);
    if (annotations->get_object().empty()) kept.erase("annotations");
  }
  return kept;
}

// Arguments and Spark properties carry secrets as text: "--password=x", "spark.hadoop.fs.s3a.secret.key".
void mask_arguments(json::object& spec, const Redactor& redactor) {
  json::value* arguments = spec.if_contains("arguments");
  if (arguments == nullptr || !arguments->is_array()) return;
  bool is_value_of_secret = false;
  for (json::value& word : arguments->get_array()) {
    if (!word.is_string()) continue;
    const std::string text(word.get_string());
    const std::size_t equals = text.find('=');
    const bool is_flag = text.starts_with("-");
    if (is_flag && equals != std::string::npos && redactor.is_secret_key(text.substr(0, equals))) {
      word = text.substr(0, equals + 1) + kSecretMask;
    } else if (!is_flag && is_value_of_secret) {
      word = kSecretMask;
    }
    is_value_of_secret = is_flag && equals == std::string::npos && redactor.is_secret_key(text);
  }
}

}  // namespace

json::object manifest_of(const json::value& whole, const Redactor* mask) {
  json::object manifest;
  const json::object* object = whole.if_object();
  if (object == nullptr) return manifest;
  copy(*object, "apiVersion", mask, manifest);
  copy(*object, "kind", mask, manifest);
  const json::value* metadata = object->if_contains("metadata");
  if (metadata != nullptr && metadata->is_object())
    manifest["metadata"] = metadata_of(metadata->get_object(), mask);
  copy(*object, "spec", mask, manifest);
  if (mask == nullptr) return manifest;
  json::value* spec = manifest.if_contains("spec");
  if (spec != nullptr && spec->is_object()) {
    mask_environment(*spec);
    mask_arguments(spec->get_object(), *mask);
  }
  return manifest;
}

}  // namespace waybill::history
