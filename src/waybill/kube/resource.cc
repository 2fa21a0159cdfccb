#include "waybill/kube/resource.h"

namespace waybill::kube {

std::string to_string(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

std::string url_encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kHex[byte >> 4U];
      encoded += kHex[byte & 15U];
    }
  }
  return encoded;
}

std::string group_path(const Resource& resource) {
  const std::string version = url_encoded(resource.version);
  return resource.group.empty() ? "/api/" + version : "/apis/" + url_encoded(resource.group) + "/" + version;
}

std::string collection_path(const Resource& resource, std::string_view name_space) {
  std::string path = group_path(resource);
  if (!name_space.empty()) path += "/namespaces/" + url_encoded(name_space);
  return path + "/" + url_encoded(resource.plural);
}

std::string object_path(const Resource& resource, std::string_view name_space, std::string_view name,
                        std::string_view subresource) {
  std::string path = collection_path(resource, name_space) + "/" + url_encoded(name);
  if (!subresource.empty()) path += "/" + url_encoded(subresource);
  return path;
}

}  // namespace waybill::kube
