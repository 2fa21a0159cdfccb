#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/json_access.h"
#include "waybill/plugins/kubernetes/context_reader.h"
#include "waybill/plugins/kubernetes/json_edit.h"
#include "waybill/plugins/spark_operator/spark_kind.h"

// From the contexts and the template to the application.
namespace waybill::plugins {
namespace json = boost::json;
namespace {

using Level = ports::ContextLevel;
using Texts = std::map<std::string, std::string>;

constexpr char kQueryDirectory[] = "/etc/waybill-query";
constexpr char kQueryName[] = "query.sql";

// What a job may set where nobody says otherwise: how a query runs, not what runs or as whom.
const std::vector<std::string>& usual_job_properties() {
  static const std::vector<std::string>& usual =
      *new std::vector<std::string>{"spark.sql.*",
                                    "spark.driver.cores",
                                    "spark.driver.memory",
                                    "spark.driver.memoryOverhead",
                                    "spark.executor.cores",
                                    "spark.executor.memory",
                                    "spark.executor.memoryOverhead",
                                    "spark.executor.instances",
                                    "spark.dynamicAllocation.*",
                                    "spark.default.parallelism",
                                    "spark.shuffle.*",
                                    "spark.memory.*",
                                    "spark.speculation*",
                                    "spark.task.maxFailures",
                                    "spark.network.timeout"};
  return usual;
}

// Properties that are members of the specification.
struct Resource {
  const char* property;
  const char* part;
  const char* member;
  bool is_number;
};
constexpr Resource kResources[] = {{"spark.driver.cores", "driver", "cores", true},
                                   {"spark.driver.memory", "driver", "memory", false},
                                   {"spark.driver.memoryOverhead", "driver", "memoryOverhead", false},
                                   {"spark.executor.instances", "executor", "instances", true},
                                   {"spark.executor.cores", "executor", "cores", true},
                                   {"spark.executor.memory", "executor", "memory", false},
                                   {"spark.executor.memoryOverhead", "executor", "memoryOverhead", false}};

absl::Status apply_properties(Texts properties, json::object& spec) {
  for (const Resource& resource : kResources) {
    const auto set = properties.find(resource.property);
    if (set == properties.end()) continue;
    json::value& member = part(spec, resource.part)[resource.member];
    if (resource.is_number) {
      int number = 0;
      const char* end = set->second.data() + set->second.size();
      const auto read = std::from_chars(set->second.data(), end, number);
      if (read.ec != std::errc() || read.ptr != end || number < 0)
        return invalid(fmt::format("{}: \"{}\" is not a whole number", resource.property, set->second));
      member = number;
    } else {
      member = set->second;
    }
    properties.erase(set);
  }
  set_texts(part(spec, "sparkConf"), properties);
  return absl::OkStatus();
}

absl::Status check_job_properties(const Texts& properties, const ContextReader& context, SparkKeys keys) {
  std::vector<std::string> open = context.list(Level::kCommand, "job_properties");
  if (open.empty()) open = context.list(Level::kCluster, "job_properties");
  // Heimdall's jobs may set any; those that choose secrets, accounts and images are no job's to set.
  const bool all_but_cluster = open.empty() && keys == SparkKeys::kSparkEks;
  if (open.empty()) open = usual_job_properties();
  for (const auto& [name, value] : properties) {
    const bool is_open = all_but_cluster ? !name.starts_with("spark.kubernetes.") : matches_any(name, open);
    if (!is_open)
      return invalid(
          fmt::format("context.parameters.properties: a job may not set {} here: job_properties of "
                      "the command would open it",
                      name));
  }
  return absl::OkStatus();
}

// The later level wins. Heimdall's order has the cluster below the command.
absl::StatusOr<Texts> all_properties(const ContextReader& context, SparkKeys keys) {
  const Level lower = keys == SparkKeys::kOwn ? Level::kCommand : Level::kCluster;
  const Level upper = keys == SparkKeys::kOwn ? Level::kCluster : Level::kCommand;
  WB_ASSIGN(Texts properties, context.texts(lower, "properties"));
  WB_ASSIGN(const Texts over, context.texts(upper, "properties"));
  WB_ASSIGN(const Texts own, context.texts(Level::kJob, "parameters.properties"));
  WB_TRY(check_job_properties(own, context, keys));
  for (const Texts* later : {&over, &own}) {
    for (const auto& [name, value] : *later) properties[name] = value;
  }
  return properties;
}

std::string query_of(const ContextReader& context) {
  const json::value* query = context.find(Level::kJob, "query");
  if (query == nullptr) query = context.find(Level::kCommand, "query");
  return query == nullptr || !query->is_string() ? "" : std::string(query->get_string());
}

// What a specification can't do without, where the template leaves it open.
void fill_defaults(json::object& spec) {
  const std::string file = kube::text_at(spec, "mainApplicationFile");
  if (kube::text_at(spec, "type").empty())
    spec["type"] = file.ends_with(".py") ? "Python" : file.ends_with(".R") ? "R" : "Scala";
  if (kube::text_at(spec, "mode").empty()) spec["mode"] = "cluster";
  json::object& restart = part(spec, "restartPolicy");
  if (kube::text_at(restart, "type").empty()) restart["type"] = "Never";
  part(spec, "driver");
  part(spec, "executor");
}

absl::Status apply_own(const ContextReader& context, const Texts& values, json::object& object,
                       json::object& spec) {
  WB_TRY(apply_metadata(context, object, spec));
  for (const Level level : {Level::kCommand, Level::kCluster}) {
    WB_ASSIGN(const Texts variables, context.texts(level, "driver_env"));
    json::object& conf = part(spec, "sparkConf");
    for (const auto& [name, value] : variables) conf["spark.kubernetes.driverEnv." + name] = value;
  }
  set_text(spec, "mainApplicationFile", with_values(context.catalog_text("main_application_file"), values));
  set_text(spec, "mainClass", context.catalog_text("main_class"));
  set_text(part(spec, "driver"), "serviceAccount", context.catalog_text("service_account"));
  const std::vector<std::string> words = arguments_of(context, values);
  if (words.empty()) return absl::OkStatus();
  json::array arguments;
  for (const std::string& word : words) arguments.emplace_back(word);
  spec["arguments"] = std::move(arguments);
  return absl::OkStatus();
}

std::string as_s3a(const std::string& url) { return url.starts_with("s3://") ? "s3a" + url.substr(2) : url; }

std::string joined_extensions(const std::string& had, const std::string& required) {
  std::set<std::string> seen;
  std::string all;
  for (const std::string* list : {&had, &required}) {
    for (std::size_t at = 0; at <= list->size();) {
      const std::size_t end = std::min(list->find(',', at), list->size());
      std::string one = list->substr(at, end - at);
      one.erase(0, one.find_first_not_of(' ') == std::string::npos ? one.size() : one.find_first_not_of(' '));
      one.erase(one.find_last_not_of(' ') + 1);
      if (!one.empty() && seen.insert(one).second) all += (all.empty() ? "" : ",") + one;
      at = end + 1;
    }
  }
  return all;
}

void apply_sparkeks(const ports::JobRequest& request, const ContextReader& context, const Texts& values,
                    json::object& spec) {
  const std::string wrapper = context.catalog_text("wrapper_uri");
  if (!wrapper.empty()) {
    spec["mainApplicationFile"] = as_s3a(wrapper);
    json::array words;
    words.emplace_back(values.at("app_name"));
    words.emplace_back(values.at("query_file"));
    words.emplace_back(request.job.spec.user);
    if (context.flag("return_result"))
      words.emplace_back(
          fmt::format("{}/{}/results", as_s3a(context.catalog_text("jobs_uri")), request.job.id.str()));
    spec["arguments"] = std::move(words);
  }
  json::object& conf = part(spec, "sparkConf");
  set_text(conf, "spark.eventLog.dir", as_s3a(context.catalog_text("event_log_uri")));
  set_text(conf, "spark.kubernetes.driverEnv.AWS_REGION", context.catalog_text("region"));
  const std::string required = context.catalog_text("required_spark_sql_extensions");
  if (!required.empty())
    conf["spark.sql.extensions"] = joined_extensions(kube::text_at(conf, "spark.sql.extensions"), required);
}

}  // namespace

absl::StatusOr<std::string> SparkKind::template_file(const ports::JobRequest& request) const {
  const ContextReader context(request);
  WB_TRY(context.check(traits()));
  return context.catalog_text(keys_ == SparkKeys::kOwn ? "application_template" : "spark_application_file");
}

absl::StatusOr<RunObjects> SparkKind::build(const ports::JobRequest& request, json::object from) const {
  const ContextReader context(request);
  const std::string kind = kube::text_at(from, "kind");
  if (!kind.empty() && kind != word())
    return invalid(fmt::format("the template is a {}, not a SparkApplication", kind));
  RunObjects built;
  built.object = std::move(from);
  built.object.erase("status");
  if (kube::text_at(built.object, "apiVersion").empty())
    built.object["apiVersion"] = "sparkoperator.k8s.io/v1beta2";
  built.object["kind"] = word();
  json::object& spec = part(built.object, "spec");
  const std::string query = query_of(context);
  const std::string name = run_name(*this, request.job);
  const Texts values = {{"query_file", fmt::format("file://{}/{}", kQueryDirectory, kQueryName)},
                        {"app_name", name},
                        {"job_id", request.job.id.str()},
                        {"user", request.job.spec.user}};
  if (keys_ == SparkKeys::kOwn) {
    WB_TRY(apply_own(context, values, built.object, spec));
  } else {
    apply_sparkeks(request, context, values, spec);
    built.name_space = context.catalog_text("kube_namespace");
  }
  set_text(spec, "image", context.catalog_text("image"));
  WB_ASSIGN(Texts properties, all_properties(context, keys_));
  WB_TRY(apply_properties(std::move(properties), spec));
  json::object& conf = part(spec, "sparkConf");
  if (!conf.contains("spark.app.name")) conf["spark.app.name"] = name;
  if (context.flag("log_executors")) conf["spark.kubernetes.executor.deleteOnTermination"] = "false";
  if (!query.empty()) {
    conf["spark.kubernetes.driver.secrets." + name] = kQueryDirectory;
    conf["spark.kubernetes.driverEnv.WAYBILL_QUERY_FILE"] = fmt::format("{}/{}", kQueryDirectory, kQueryName);
    built.secret = json::object{{kQueryName, query}};
  }
  fill_defaults(spec);
  return built;
}

}  // namespace waybill::plugins
