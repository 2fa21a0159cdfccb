#pragma once

#include <string>
#include <string_view>

namespace waybill::kube {

// A kind of object as the API's paths name it: {"sparkoperator.k8s.io", "v1beta2", "sparkapplications"};
// the core group is "".
struct Resource {
  std::string group;
  std::string version;
  std::string plural;

  friend auto operator<=>(const Resource&, const Resource&) = default;
};

[[nodiscard]] inline Resource pods() { return {"", "v1", "pods"}; }
[[nodiscard]] inline Resource namespaces() { return {"", "v1", "namespaces"}; }

// "sparkapplications.sparkoperator.k8s.io", as kubectl writes it; for messages.
[[nodiscard]] std::string to_string(const Resource& resource);

// "/apis/GROUP/VERSION" or "/api/VERSION".
[[nodiscard]] std::string group_path(const Resource& resource);

// The path of a collection: of one namespace, or of all where it is "" (also right for what has none).
[[nodiscard]] std::string collection_path(const Resource& resource, std::string_view name_space);

// The path of an object, or of its subresource ("status", "log") where that is not "".
[[nodiscard]] std::string object_path(const Resource& resource, std::string_view name_space,
                                      std::string_view name, std::string_view subresource = {});

// Percent-encoded for a path segment or a query value.
[[nodiscard]] std::string url_encoded(std::string_view text);

}  // namespace waybill::kube
