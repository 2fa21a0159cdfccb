#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/context_reader.h"
#include "waybill/plugins/kubernetes/json_edit.h"
#include "waybill/plugins/kubernetes/template_file.h"

// Keys that all kinds of runs on Kubernetes have.
namespace waybill::plugins {
namespace {

using ports::ContextLevel;
using ports::ContextType;

}  // namespace

ports::ContextKey kubernetes_key() {
  ports::ContextKey key =
      context_key("kubernetes", ContextType::kObject, kClusterLevel,
                  "How to reach the cluster: in_cluster, kubeconfig (a path), context, namespace.",
                  "kubernetes: {kubeconfig: ~/.kube/config, namespace: spark-jobs}");
  key.check = check_kubernetes;
  return key;
}

ports::ContextKey return_result_key() {
  return context_key("return_result", ContextType::kBool, kCommandLevel | kJobLevel,
                     "Whether the log holds a result to be kept: lines that begin with \"waybill-result: \".",
                     "return_result: true");
}

ports::ContextKey pending_error_key() {
  return context_key(
      "pending_error_seconds", ContextType::kInteger, kCommandLevel | kClusterLevel,
      "How long a pod may fail to begin (its image can't be pulled) before the job fails; 120 if "
      "absent.",
      "pending_error_seconds: 300");
}

std::vector<std::string> arguments_of(const ContextReader& context,
                                      const std::map<std::string, std::string>& values) {
  std::vector<std::string> words = context.list(ContextLevel::kCommand, "arguments");
  for (std::string& word : words) word = with_values(std::move(word), values);
  for (std::string& word : context.list(ContextLevel::kJob, "arguments")) words.push_back(std::move(word));
  return words;
}

absl::Status apply_metadata(const ContextReader& context, boost::json::object& object,
                            boost::json::object& spec) {
  for (const ContextLevel level : {ContextLevel::kCommand, ContextLevel::kCluster}) {
    const boost::json::value* over = context.find(level, "spec");
    if (over != nullptr && over->is_object()) merge_json(spec, over->get_object());
    for (const char* map : {"labels", "annotations"}) {
      WB_ASSIGN(const auto texts, context.texts(level, map));
      if (!texts.empty()) set_texts(part(part(object, "metadata"), map), texts);
    }
  }
  return absl::OkStatus();
}

}  // namespace waybill::plugins
