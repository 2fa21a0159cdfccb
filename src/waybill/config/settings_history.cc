#include <string>
#include <vector>

#include "waybill/config/schema.h"

namespace waybill::config {
namespace {

using Strings = std::vector<std::string>;
using Settings = std::vector<Setting>;

Settings kubernetes_settings(const std::string& section) {
  return {
      {.name = section + ".kubernetes.in_cluster",
       .type = Type::kBoolean,
       .fallback = false,
       .example = "true",
       .restart = true,
       .what = "whether the server runs as a pod there and uses its service account"},
      {.name = section + ".kubernetes.kubeconfig",
       .fallback = "",
       .example = "~/.kube/config",
       .restart = true,
       .what = "a kubeconfig file; empty means $KUBECONFIG, then ~/.kube/config"},
      {.name = section + ".kubernetes.context",
       .fallback = "",
       .example = "prod",
       .restart = true,
       .what = "a context of the kubeconfig; empty means its current one"},
  };
}

Settings job_template_settings(const std::string& section, const std::string& what) {
  return {
      {.name = section + ".image",
       .fallback = "",
       .example = "registry.example.com/ingestion:3.5",
       .restart = true,
       .what = "the image of " + what + "; empty leaves the template's"},
      {.name = section + ".spec",
       .type = Type::kObject,
       .example = "{type: Scala, sparkVersion: 3.5.1}",
       .restart = true,
       .what = "the SparkApplication's spec of " + what +
               ", with ${project}, ${featureTable}, ${hash} in strings"},
  };
}

}  // namespace

std::vector<Setting> history_settings() {
  return joined(
      {Settings{
           {.name = "history[].cluster",
            .example = "spark-eks",
            .restart = true,
            .required = true,
            .what = "the id of a cluster; its attributes are rendered for the records too"},
       },
       kubernetes_settings("history[]"),
       Settings{
           {.name = "history[].namespaces",
            .type = Type::kStrings,
            .fallback = Strings{},
            .example = "[spark-operator]",
            .restart = true,
            .form = Form::kNamespace,
            .what = "the namespaces that are watched; empty means all"},
           {.name = "history[].label_selector",
            .fallback = "",
            .example = "\"caraml.dev/type,caraml.dev/record-id\"",
            .restart = true,
            .what = "which SparkApplications are recorded; empty means every one"},
           {.name = "history[].mask_manifests",
            .type = Type::kBoolean,
            .fallback = true,
            .example = "false",
            .restart = true,
            .what = "whether environment values and what looks like a secret are masked in manifests"},

           {.name = "feature_store.namespace",
            .fallback = "spark-operator",
            .example = "spark-operator",
            .restart = true,
            .form = Form::kNamespace,
            .what = "where the feature store's SparkApplications are created"},
       },
       kubernetes_settings("feature_store"),
       Settings{
           {.name = "feature_store.default_batch_store",
            .fallback = "",
            .example = "redis",
            .restart = true,
            .what = "the online store of tables that name none, for batch ingestion"},
           {.name = "feature_store.default_stream_store",
            .fallback = "",
            .example = "redis",
            .restart = true,
            .what = "the online store of tables that name none, for stream ingestion"},
           {.name = "feature_store.stores[].name",
            .example = "redis",
            .restart = true,
            .required = true,
            .what = "the name of an online store"},
       },
       job_template_settings("feature_store.stores[].batch_ingestion", "batch ingestion into it"),
       job_template_settings("feature_store.stores[].stream_ingestion", "stream ingestion into it"),
       job_template_settings("feature_store.retrieval", "historical retrieval"),
       Settings{
           {.name = "feature_store.delta.project",
            .fallback = "",
            .example = "my-project",
            .restart = true,
            .what = "the BigQuery project that delta ingestion reads from"},
           {.name = "feature_store.delta.dataset",
            .fallback = "",
            .example = "feature_delta",
            .restart = true,
            .what = "the BigQuery dataset that delta ingestion reads from"},
           {.name = "feature_store.default_max_age",
            .type = Type::kInteger,
            .fallback = 604800,
            .min = 1,
            .max = 3153600000,
            .unit = "seconds",
            .example = "86400",
            .restart = true,
            .what = "the max_age that 0 in a feature table means"},
           {.name = "feature_store.sync_ingestion_job_on_spec_update",
            .type = Type::kBoolean,
            .fallback = false,
            .example = "true",
            .restart = true,
            .what =
                "whether applying a table with a stream source creates or updates its stream ingestion job"},
           {.name = "feature_store.projects{}.values",
            .type = Type::kTexts,
            .example = "{team: search}",
            .restart = true,
            .what = "further placeholders of this project's templates"},
       }});
}

}  // namespace waybill::config
