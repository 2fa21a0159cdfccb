#include <utility>

#include "waybill/plugins/kubernetes/context_reader.h"
#include "waybill/plugins/spark_operator/spark_kind.h"

namespace waybill::plugins {
namespace {

using ports::ContextKey;
using ports::ContextLevel;
using ports::ContextType;

void add_shared(std::vector<ContextKey>& keys) {
  keys.push_back(kubernetes_key());
  keys.push_back(context_key("query", ContextType::kString, kCommandLevel | kJobLevel,
                             "A query for the driver, which finds it in the file ${query_file}.",
                             "query: select 1"));
  keys.push_back(return_result_key());
  keys.push_back(
      context_key("properties", ContextType::kObject, kCatalogLevels,
                  "Properties of Spark. Cores, memory and instances become those of the driver and "
                  "the executors.",
                  "properties: {spark.executor.instances: 2}"));
  keys.push_back(context_key("parameters.properties", ContextType::kObject, kJobLevel,
                             "Properties of the job's own, of those that job_properties opens.",
                             "parameters.properties: {spark.sql.shuffle.partitions: 10}"));
  keys.push_back(context_key("job_properties", ContextType::kStringList, kCatalogLevels,
                             "Which properties a job may set: names, or beginnings with a * at the end.",
                             "job_properties: [\"spark.sql.*\"]"));
  keys.push_back(context_key("image", ContextType::kString, kCatalogLevels,
                             "The image of driver and executors.",
                             "image: registry.example.com/spark:3.5.3"));
  keys.push_back(context_key("log_executors", ContextType::kBool, kCatalogLevels | kJobLevel,
                             "Whether the executors' logs are kept too, behind one another in stderr.",
                             "log_executors: true"));
  keys.push_back(pending_error_key());
}

void add_own(std::vector<ContextKey>& keys) {
  keys.push_back(context_key("application_template", ContextType::kString, kCatalogLevels,
                             "The path of a SparkApplication in YAML that everything else is laid over.",
                             "application_template: /etc/waybill/spark-pi.yaml"));
  keys.push_back(
      context_key("spec", ContextType::kObject, kCatalogLevels,
                  "Laid over the template's spec, member by member: volumes, cores, memory, whatever "
                  "the operator knows.",
                  "spec: {executor: {instances: 4}}"));
  keys.push_back(context_key("main_application_file", ContextType::kString, kCatalogLevels,
                             "What Spark runs, as a URL.",
                             "main_application_file: local:///opt/spark/app.py"));
  keys.push_back(context_key("main_class", ContextType::kString, kCatalogLevels,
                             "The class to run, of a jar.", "main_class: org.apache.spark.examples.SparkPi"));
  keys.push_back(
      context_key("arguments", ContextType::kStringList, kCommandLevel | kJobLevel,
                  "Words for the program: the command's, with ${query_file}, ${app_name}, ${job_id} "
                  "and ${user} replaced, then the job's.",
                  "arguments: [\"--query\", \"${query_file}\"]"));
  keys.push_back(context_key("service_account", ContextType::kString, kCatalogLevels,
                             "The driver's service account.", "service_account: spark"));
  keys.push_back(context_key("labels", ContextType::kObject, kCatalogLevels, "Labels of the application.",
                             "labels: {team: data}"));
  keys.push_back(context_key("annotations", ContextType::kObject, kCatalogLevels,
                             "Annotations of the application.", "annotations: {cost-center: \"42\"}"));
  keys.push_back(context_key("driver_env", ContextType::kObject, kCatalogLevels,
                             "Variables of the driver's environment.", "driver_env: {TZ: UTC}"));
  keys.back().secret = true;
}

void add_sparkeks(std::vector<ContextKey>& keys) {
  keys.push_back(context_key("kube_namespace", ContextType::kString, kCommandLevel,
                             "Where applications are made; \"default\" if absent.",
                             "kube_namespace: spark-jobs"));
  keys.push_back(context_key("spark_application_file", ContextType::kString, kClusterLevel,
                             "The path of a SparkApplication in YAML that everything else is laid over.",
                             "spark_application_file: /etc/waybill/spark.yaml"));
  keys.push_back(context_key("wrapper_uri", ContextType::kString, kCommandLevel,
                             "The program that runs a query: its arguments are the application's name, the "
                             "query's URL, the user and, with return_result, a URL for the result.",
                             "wrapper_uri: s3://bucket/wrapper.py"));
  keys.push_back(context_key("jobs_uri", ContextType::kString, kCommandLevel,
                             "Where the result's URL points to, below the job's id.",
                             "jobs_uri: s3://bucket/jobs"));
  keys.push_back(context_key("event_log_uri", ContextType::kString, kCommandLevel,
                             "Where Spark writes its event log (spark.eventLog.dir).",
                             "event_log_uri: s3://bucket/events"));
  keys.push_back(context_key("required_spark_sql_extensions", ContextType::kString, kClusterLevel,
                             "Added to spark.sql.extensions.",
                             "required_spark_sql_extensions: org.example.Extension"));
  keys.push_back(context_key("region", ContextType::kString, kClusterLevel, "AWS_REGION of the driver.",
                             "region: us-west-2"));
  for (const char* name : {"role_arn", "cluster_name"}) {
    keys.push_back(context_key(name, ContextType::kString, kClusterLevel,
                               "Known and not used: the kubeconfig says how to reach the cluster.",
                               std::string(name) + ": name"));
  }
}

}  // namespace

ports::ExecutorTraits spark_traits(SparkKeys keys) {
  ports::ExecutorTraits traits;
  traits.plugin = keys == SparkKeys::kOwn ? "spark_operator" : "sparkeks";
  traits.outputs = {"spark_application_id", "submission_id", "driver_pod",
                    "web_ui_address",       "namespace",     "app_name"};
  traits.poll_max = absl::Minutes(1);  // the watch nudges
  add_shared(traits.keys);
  if (keys == SparkKeys::kOwn) {
    add_own(traits.keys);
  } else {
    add_sparkeks(traits.keys);
  }
  return traits;
}

}  // namespace waybill::plugins
