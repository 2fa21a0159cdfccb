#include "waybill/plugins/shell/context_file.h"

#include <boost/json.hpp>
#include <vector>

#include "waybill/base/go_json.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

void put(json::object& into, std::string_view name, std::string_view text) {
  if (!text.empty()) into[name] = text;
}

json::array list_of(const std::vector<std::string>& words) {
  json::array list;
  for (const std::string& word : words) list.emplace_back(word);
  return list;
}

json::object job_object(const domain::Job& job) {
  const domain::JobSpec& spec = job.spec;
  json::object out;
  put(out, "id", job.id.str());
  put(out, "name", spec.name);
  put(out, "version", spec.version);
  put(out, "description", spec.description);
  put(out, "user", spec.user);
  out["tags"] = list_of(domain::with_system_tags(job.id.str(), spec.name, spec.version, spec.tags));
  if (spec.context) out["context"] = *spec.context;
  out["created_at"] = absl::ToUnixSeconds(job.created_at);
  out["updated_at"] = absl::ToUnixSeconds(job.updated_at);
  out["status"] = "RUNNING";  // by the time the job can read it
  if (job.route.is_sync) out["is_sync"] = true;
  if (spec.store_result_sync) out["store_result_sync"] = true;
  if (spec.command_criteria) out["command_criteria"] = list_of(*spec.command_criteria);
  if (spec.cluster_criteria) out["cluster_criteria"] = list_of(*spec.cluster_criteria);
  put(out, "command_id", job.route.command_id.str());
  put(out, "command_name", job.route.command_name);
  put(out, "cluster_id", job.route.cluster_id.str());
  put(out, "cluster_name", job.route.cluster_name);
  out["attempt"] = job.state.attempt;
  return out;
}

json::object cluster_object(const domain::Cluster& cluster) {
  json::object out;
  put(out, "id", cluster.id.str());
  put(out, "name", cluster.name);
  put(out, "version", cluster.version);
  put(out, "description", cluster.description);
  put(out, "user", cluster.user);
  out["tags"] =
      list_of(domain::with_system_tags(cluster.id.str(), cluster.name, cluster.version, cluster.tags));
  if (cluster.context) out["context"] = *cluster.context;
  return out;
}

}  // namespace

std::string context_json(const ports::JobRequest& request, const std::string& directory) {
  json::object command;
  if (request.command->context) {
    if (const json::value* words = request.command->context->if_contains("command"))
      command["command"] = *words;
  }
  json::object out;
  out["job"] = job_object(request.job);
  out["command"] = std::move(command);
  out["cluster"] = cluster_object(*request.cluster);
  out["runtime"] = json::object{{"WorkingDirectory", directory}};
  return go_json(out) + '\n';
}

}  // namespace waybill::plugins
