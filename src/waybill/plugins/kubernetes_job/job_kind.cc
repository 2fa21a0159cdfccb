#include "waybill/plugins/kubernetes_job/job_kind.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <map>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/json_access.h"
#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/context_reader.h"
#include "waybill/plugins/kubernetes/json_edit.h"
#include "waybill/plugins/kubernetes/template_file.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

using ports::ContextLevel;
using ports::ContextType;

constexpr std::size_t kMessageBytes = 4096;

// The first container of the pods, which is the one whose log and end count.
json::object& main_container_of(json::object& pod_spec) {
  json::value& member = pod_spec["containers"];
  if (!member.is_array()) member = json::array();
  json::array& containers = member.get_array();
  if (containers.empty() || !containers[0].is_object()) {
    containers.clear();
    containers.push_back(json::object{{"name", "main"}});
  }
  return containers[0].get_object();
}

json::array words(const std::vector<std::string>& texts) {
  json::array list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

absl::Status apply_environment(const ContextReader& context, json::object& container) {
  std::map<std::string, std::string> all;
  for (const ContextLevel level : {ContextLevel::kCommand, ContextLevel::kCluster}) {
    WB_ASSIGN(const auto variables, context.texts(level, "env"));
    for (const auto& [name, value] : variables) all[name] = value;
  }
  if (all.empty()) return absl::OkStatus();
  json::value& member = container["env"];
  if (!member.is_array()) member = json::array();
  for (const auto& [name, value] : all)
    member.get_array().push_back(json::object{{"name", name}, {"value", value}});
  return absl::OkStatus();
}

}  // namespace

ports::ExecutorTraits kubernetes_job_traits() {
  ports::ExecutorTraits traits;
  traits.plugin = "kubernetes_job";
  traits.outputs = {"job_name", "pod", "namespace"};
  traits.poll_max = absl::Minutes(1);  // the watch nudges
  auto& keys = traits.keys;
  keys.push_back(kubernetes_key());
  keys.push_back(context_key("job_template", ContextType::kString, kCatalogLevels,
                             "The path of a Job in YAML that everything else is laid over.",
                             "job_template: /etc/waybill/job.yaml"));
  keys.push_back(context_key("spec", ContextType::kObject, kCatalogLevels,
                             "Laid over the template's spec, member by member.", "spec: {parallelism: 1}"));
  keys.push_back(context_key("image", ContextType::kString, kCatalogLevels,
                             "The image of the first container.", "image: registry.example.com/tool:1"));
  keys.push_back(context_key("command", ContextType::kStringList, kCatalogLevels,
                             "The program of the first container and its first words.",
                             "command: [\"/bin/sh\", \"-c\"]"));
  keys.push_back(context_key("arguments", ContextType::kStringList, kCommandLevel | kJobLevel,
                             "Words for the first container: the command's, with ${job_id} and ${user} "
                             "replaced, then the job's.",
                             "arguments: [\"--day\", \"2026-03-03\"]"));
  keys.push_back(context_key("service_account", ContextType::kString, kCatalogLevels,
                             "The pods' service account.", "service_account: batch"));
  keys.push_back(context_key("labels", ContextType::kObject, kCatalogLevels, "Labels of the Job.",
                             "labels: {team: data}"));
  keys.push_back(context_key("annotations", ContextType::kObject, kCatalogLevels, "Annotations of the Job.",
                             "annotations: {cost-center: \"42\"}"));
  keys.push_back(context_key("env", ContextType::kObject, kCatalogLevels,
                             "Variables of the first container's environment.", "env: {TZ: UTC}"));
  keys.back().secret = true;
  keys.push_back(return_result_key());
  keys.push_back(pending_error_key());
  return traits;
}

absl::StatusOr<std::string> JobKind::template_file(const ports::JobRequest& request) const {
  const ContextReader context(request);
  WB_TRY(context.check(traits()));
  return context.catalog_text("job_template");
}

absl::StatusOr<RunObjects> JobKind::build(const ports::JobRequest& request, json::object from) const {
  const ContextReader context(request);
  const std::string kind = kube::text_at(from, "kind");
  if (!kind.empty() && kind != word()) return invalid(fmt::format("the template is a {}, not a Job", kind));
  RunObjects built;
  built.object = std::move(from);
  built.object.erase("status");
  built.object["apiVersion"] = "batch/v1";
  built.object["kind"] = word();
  json::object& spec = part(built.object, "spec");
  WB_TRY(apply_metadata(context, built.object, spec));
  // Another try is another attempt of the job, with a log and a record of its own.
  if (!spec.contains("backoffLimit")) spec["backoffLimit"] = 0;
  json::object& pods = part(spec, "template");
  part(part(pods, "metadata"), "labels")[kJobLabel] = request.job.id.str();
  json::object& pod_spec = part(pods, "spec");
  if (kube::text_at(pod_spec, "restartPolicy").empty()) pod_spec["restartPolicy"] = "Never";
  set_text(pod_spec, "serviceAccountName", context.catalog_text("service_account"));
  json::object& container = main_container_of(pod_spec);
  set_text(container, "image", context.catalog_text("image"));
  std::vector<std::string> program = context.list(ContextLevel::kCluster, "command");
  if (program.empty()) program = context.list(ContextLevel::kCommand, "command");
  if (!program.empty()) container["command"] = words(program);
  const std::vector<std::string> arguments =
      arguments_of(context, {{"job_id", request.job.id.str()}, {"user", request.job.spec.user}});
  if (!arguments.empty()) container["args"] = words(arguments);
  WB_TRY(apply_environment(context, container));
  return built;
}

json::object JobKind::kept(const json::object& object) const {
  json::object kept;
  if (const json::object* status = kube::object_at(object, "status")) kept["status"] = *status;
  const json::object* spec = kube::object_at(object, "spec");
  if (spec == nullptr) return kept;
  if (kube::whole_at(*spec, "ttlSecondsAfterFinished").value_or(0) > 0) kept[kStays] = true;
  if (const json::value* suspended = kube::member_at(*spec, "suspend")) kept["suspend"] = *suspended;
  return kept;
}

RunSight JobKind::sight(const std::string& name, const json::object& kept) const {
  RunSight sight;
  sight.outputs["job_name"] = name;
  const json::value* suspended = kube::member_at(kept, "suspend");
  if (suspended != nullptr && suspended->is_bool() && suspended->get_bool())
    sight.note = fmt::format(
        "the Job is suspended and waits: set its spec.suspend to false, or cancel the job "
        "if it is not wanted");
  const json::object* status = kube::object_at(kept, "status");
  if (status == nullptr) return sight;
  for (const char* count : {"active", "succeeded", "failed"})
    sight.has_pods = sight.has_pods || kube::whole_at(*status, count).value_or(0) > 0;
  if (kube::whole_at(*status, "ready").value_or(0) > 0) sight.stage = RunSight::Stage::kRunning;
  const json::value* conditions = kube::member_at(*status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) return sight;
  for (const json::value& entry : conditions->get_array()) {
    const json::object* condition = entry.if_object();
    if (condition == nullptr || kube::text_at(*condition, "status") != "True") continue;
    const std::string type = kube::text_at(*condition, "type");
    if (type == "Complete") sight.stage = RunSight::Stage::kSucceeded;
    if (type != "Failed") continue;
    sight.stage = RunSight::Stage::kFailed;
    sight.error = kube::text_at(*condition, "reason");
    const std::string said = kube::text_at(*condition, "message");
    if (!said.empty()) sight.error += ": " + shortened(said, kMessageBytes);
  }
  return sight;
}

ports::Observation JobKind::failure(const RunSight& sight, const PodSight& pod) const {
  if (pod.is_there() && (pod.disrupted || pod.has_ended)) return pod_end(pod, "the pod");
  ports::Observation seen;
  seen.phase = ports::RunPhase::kFailed;
  seen.error = fmt::format("the Job failed ({})", sight.error);
  return seen;
}

}  // namespace waybill::plugins
