#include "waybill/config/entry_json.h"

#include <absl/strings/ascii.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

namespace waybill::config {
namespace json = boost::json;
namespace {

json::array list_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object common(const domain::Entry& entry, const std::string& id) {
  json::object out{{"id", id},
                   {"name", entry.name},
                   {"version", entry.version},
                   {"description", entry.description},
                   {"user", entry.user},
                   {"status", absl::AsciiStrToLower(std::string(to_string(entry.status)))},
                   {"tags", list_of(entry.tags)}};
  if (entry.context) out["context"] = *entry.context;
  json::object attributes;
  for (const domain::AttributeTemplate& attribute : entry.attributes) {
    json::object one;
    if (attribute.kind != domain::AttributeKind::kUnset) one["kind"] = to_string(attribute.kind);
    one["value"] = attribute.value;
    one["show"] = to_string(attribute.show);
    attributes[attribute.label] = std::move(one);
  }
  if (!attributes.empty()) out["attributes"] = std::move(attributes);
  return out;
}

}  // namespace

json::object entry_json(const domain::Command& command) {
  json::object out = common(command, command.id.str());
  out["plugin"] = command.plugin;
  out["is_sync"] = command.is_sync;
  out["store_result_sync"] = command.store_result_sync;
  out["cluster_tags"] = list_of(command.cluster_tags);
  out["allowed_callers"] = list_of(command.allowed_callers);
  out["locked_context"] = list_of(command.locked_context);
  out["timeout_seconds"] = absl::ToInt64Seconds(command.timeout);
  out["max_attempts"] = command.max_attempts;
  return out;
}

json::object entry_json(const domain::Cluster& cluster) {
  json::object out = common(cluster, cluster.id.str());
  out["health_check"] = cluster.health_check;
  out["weight"] = cluster.weight;
  out["rbacs"] = list_of(cluster.rbacs);
  return out;
}

}  // namespace waybill::config
