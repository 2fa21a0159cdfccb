#include "waybill/plugins/spark_operator/spark_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/plugins/kubernetes/template_file.h"

namespace waybill::plugins {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

constexpr char kJob[] = "0191d2a0-0000-7000-8000-000000000001";

ports::JobRequest request_of(const char* command, const char* cluster, const char* job, int attempt = 1) {
  const auto object = [](const char* text) { return json::parse(text).get_object(); };
  ports::JobRequest request;
  request.job.id = JobId(kJob);
  request.job.state.attempt = attempt;
  request.job.spec.user = "alice";
  request.job.spec.context = object(job);
  auto made = std::make_shared<domain::Command>();
  made->context = object(command);
  request.command = made;
  auto where = std::make_shared<domain::Cluster>();
  where->context = object(cluster);
  request.cluster = where;
  return request;
}

json::object spec_of(const ports::JobRequest& request, SparkKeys keys = SparkKeys::kOwn,
                     const char* from = "{}") {
  auto built = SparkKind(keys).build(request, json::parse(from).get_object());
  EXPECT_TRUE(built.ok()) << built.status();
  return built.ok() ? built->object.at("spec").get_object() : json::object();
}

TEST(SparkKind, TheTemplateIsOverlaidByCommandClusterAndJob) {
  const ports::JobRequest request = request_of(
      R"({"spec": {"executor": {"instances": 1, "memory": "1g"}}, "image": "a", "arguments": ["${job_id}", "${x}"],
          "properties": {"spark.a": 1, "spark.b": "command", "spark.driver.cores": 2}})",
      R"({"spec": {"executor": {"instances": 2}}, "image": "b", "properties": {"spark.b": "cluster"},
          "service_account": "spark", "labels": {"team": "data"}})",
      R"({"arguments": ["${job_id}"],
          "parameters": {"properties": {"spark.sql.x": true, "spark.executor.instances": "3"}}})");
  const json::object spec = spec_of(request, SparkKeys::kOwn,
                                    R"({"kind": "SparkApplication", "spec": {"executor": {"cores": 4}}})");
  EXPECT_EQ(json::serialize(spec.at("executor")), R"({"cores":4,"instances":3,"memory":"1g"})");
  EXPECT_EQ(spec.at("image"), "b");
  EXPECT_EQ(spec.at("driver").at("cores"), 2);
  EXPECT_EQ(spec.at("driver").at("serviceAccount"), "spark");
  EXPECT_EQ(spec.at("sparkConf").at("spark.a"), "1");
  EXPECT_EQ(spec.at("sparkConf").at("spark.b"), "cluster");
  EXPECT_EQ(spec.at("sparkConf").at("spark.sql.x"), "true");
  // Only the command's words are filled in: what a job says stays what it says.
  EXPECT_EQ(json::serialize(spec.at("arguments")), std::string("[\"") + kJob + "\",\"${x}\",\"${job_id}\"]");
  EXPECT_EQ(spec.at("restartPolicy").at("type"), "Never");
  EXPECT_EQ(spec.at("mode"), "cluster");
}

TEST(SparkKind, AQueryLiesInASecretThatTheDriverMounts) {
  const ports::JobRequest request =
      request_of(R"({"arguments": ["${query_file}"], "main_application_file": "local:///x.py"})", "{}",
                 R"({"query": "select 'secret'"})", 2);
  const auto built = SparkKind(SparkKeys::kOwn).build(request, {});
  ASSERT_TRUE(built.ok());
  ASSERT_TRUE(built->secret);
  EXPECT_EQ(built->secret->at("query.sql"), "select 'secret'");
  EXPECT_THAT(json::serialize(built->object), ::testing::Not(HasSubstr("select")));
  const json::object& spec = built->object.at("spec").get_object();
  EXPECT_EQ(spec.at("sparkConf").at(std::string("spark.kubernetes.driver.secrets.spark-job-") + kJob + "-2"),
            "/etc/waybill-query");
  EXPECT_EQ(json::serialize(spec.at("arguments")), R"(["file:///etc/waybill-query/query.sql"])");
  EXPECT_EQ(spec.at("type"), "Python");
}

TEST(SparkKind, WhatIsWrongIsNamed) {
  const struct {
    const char* command;
    const char* job;
    const char* says;
  } rows[] = {
      {R"({"properties": {"a": {}}})", "{}", "context.properties.a: it must be a text"},
      {R"({"properties": {"spark.driver.cores": "two"}})", "{}",
       "spark.driver.cores: \"two\" is not a whole number"},
      {"{}", R"({"parameters": {"properties": {"spark.kubernetes.container.image": "x"}}})",
       "job_properties"},
      {"{}", R"({"parameters": {"properties": {"spark.jars": "x"}}})", "job_properties"},
      {R"({"job_properties": ["spark.jars"]})", R"({"parameters": {"properties": {"spark.sql.x": "x"}}})",
       "spark.sql.x"},
  };
  for (const auto& row : rows) {
    const auto built = SparkKind(SparkKeys::kOwn).build(request_of(row.command, "{}", row.job), {});
    EXPECT_EQ(built.status().code(), absl::StatusCode::kInvalidArgument) << row.says;
    EXPECT_THAT(message(built.status()), HasSubstr(row.says));
  }
  const auto other = SparkKind(SparkKeys::kOwn)
                         .build(request_of("{}", "{}", "{}"), json::parse(R"({"kind":"Pod"})").get_object());
  EXPECT_THAT(message(other.status()), HasSubstr("the template is a Pod"));
  const auto typed = SparkKind(SparkKeys::kOwn).template_file(request_of("{}", "{}", R"({"arguments": 1})"));
  EXPECT_THAT(message(typed.status()), HasSubstr("context.arguments"));
}

// Heimdall's plugin: cluster below command below job, s3 as s3a, and its order of arguments.
TEST(SparkKind, SparkEksTakesHeimdallsKeys) {
  const ports::JobRequest request = request_of(
      R"({"jobs_uri": "s3://b/jobs", "wrapper_uri": "s3://b/w.py", "event_log_uri": "s3://b/e", "kube_namespace": "ns",
          "properties": {"spark.a": "command", "spark.executor.instances": "2"}})",
      R"({"image": "i", "region": "eu-west-1", "required_spark_sql_extensions": "B, C",
          "properties": {"spark.a": "cluster", "spark.c": "cluster"}})",
      R"({"query": "select 1", "return_result": true, "parameters": {"properties": {"spark.any.thing": "x"}}})");
  const auto built =
      SparkKind(SparkKeys::kSparkEks)
          .build(request,
                 json::parse(R"({"spec":{"sparkConf":{"spark.sql.extensions":"A,B"}}})").get_object());
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->name_space, "ns");
  const json::object& spec = built->object.at("spec").get_object();
  const json::object& conf = spec.at("sparkConf").get_object();
  EXPECT_EQ(conf.at("spark.a"), "command");
  EXPECT_EQ(conf.at("spark.c"), "cluster");
  EXPECT_EQ(conf.at("spark.any.thing"), "x");
  EXPECT_EQ(conf.at("spark.sql.extensions"), "A,B,C");
  EXPECT_EQ(conf.at("spark.eventLog.dir"), "s3a://b/e");
  EXPECT_EQ(spec.at("executor").at("instances"), 2);
  EXPECT_EQ(spec.at("mainApplicationFile"), "s3a://b/w.py");
  EXPECT_EQ(json::serialize(spec.at("arguments")),
            std::string("[\"spark-job-") + kJob +
                R"(","file:///etc/waybill-query/query.sql","alice","s3a://b/jobs/)" + kJob + R"(/results"])");
}

RunSight sight_of(const char* status) {
  const SparkKind kind(SparkKeys::kOwn);
  json::object object = json::parse(R"({"metadata": {"namespace": "ns"}, "spec": {}})").get_object();
  object["status"] = json::parse(status);
  return kind.sight("app", kind.kept(object));
}

TEST(SparkKind, EachWordOfTheOperatorHasItsStage) {
  using Stage = RunSight::Stage;
  const std::pair<const char*, Stage> words[] = {{"", Stage::kPending},
                                                 {"SUBMITTED", Stage::kPending},
                                                 {"RUNNING", Stage::kRunning},
                                                 {"SUCCEEDING", Stage::kRunning},
                                                 {"COMPLETED", Stage::kSucceeded},
                                                 {"FAILING", Stage::kRunning},
                                                 {"FAILED", Stage::kFailed},
                                                 {"SUBMISSION_FAILED", Stage::kPending},
                                                 {"PENDING_RERUN", Stage::kPending},
                                                 {"INVALIDATING", Stage::kPending},
                                                 {"SUSPENDING", Stage::kPending},
                                                 {"SUSPENDED", Stage::kPending},
                                                 {"RESUMING", Stage::kPending},
                                                 {"UNKNOWN", Stage::kRunning},
                                                 {"NEW", Stage::kPending}};
  for (const auto& [word, stage] : words) {
    const std::string status = std::string(R"({"applicationState": {"state": ")") + word + "\"}}";
    EXPECT_EQ(sight_of(status.c_str()).stage, stage) << word;
  }
  EXPECT_EQ(sight_of("7").stage, Stage::kPending);
}

TEST(SparkKind, OutputsAreWhatTheStatusHas) {
  const RunSight sight = sight_of(
      R"({"sparkApplicationId": "spark-1", "submissionID": "s", "executorState": {"a": "RUNNING"},
          "driverInfo": {"podName": "app-driver", "webUIAddress": "10.0.0.1:4040",
                         "webUIIngressAddress": "https://ui.example.com"}})");
  const domain::Outputs expected = {{"app_name", "app"},
                                    {"spark_application_id", "spark-1"},
                                    {"submission_id", "s"},
                                    {"driver_pod", "app-driver"},
                                    {"web_ui_address", "https://ui.example.com"}};
  EXPECT_EQ(sight.outputs, expected);
  EXPECT_EQ(sight.pod, "app-driver");
}

PodSight pod_of(const char* status) {
  json::object pod = json::parse(R"({"metadata": {"uid": "u", "name": "app-driver"}})").get_object();
  pod["status"] = json::parse(status);
  return read_pod(pod, "spark-kubernetes-driver");
}

TEST(SparkKind, AFailureIsTheJobsOwnOrNot) {
  using ports::RunPhase;
  const struct {
    const char* error;
    const char* pod;
    RunPhase phase;
    domain::EndReason reason;
    const char* says;
  } rows[] = {
      {"driver container failed with ExitCode: 3, Reason: Error",
       R"({"phase": "Failed", "containerStatuses": [{"name": "sidecar", "state": {"terminated": {"exitCode": 9}}},
           {"name": "spark-kubernetes-driver", "state": {"terminated": {"exitCode": 3, "reason": "Error",
           "message": "no such path"}}}]})",
       RunPhase::kFailed, domain::EndReason::kNone, "the driver ended with exit code 3: no such path"},
      {"driver container failed with ExitCode: 137, Reason: OOMKilled",
       R"({"containerStatuses": [{"state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})",
       RunPhase::kFailed, domain::EndReason::kNone, "needed more memory"},
      {"driver container status missing",
       R"({"phase": "Failed", "reason": "Evicted", "message": "low on memory"})", RunPhase::kEnded,
       domain::EndReason::kNodeGone, "(Evicted: low on memory)"},
      {"driver container failed with ExitCode: 143",
       R"({"phase": "Failed", "conditions": [{"type": "DisruptionTarget", "status": "True",
           "reason": "PreemptionByScheduler"}], "containerStatuses": [{"state": {"terminated": {"exitCode": 143}}}]})",
       RunPhase::kEnded, domain::EndReason::kNodeGone, "PreemptionByScheduler"},
      {"driver pod not found", "{}", RunPhase::kEnded, domain::EndReason::kLost, "disappeared"},
      {"something new", "{}", RunPhase::kFailed, domain::EndReason::kNone,
       "the driver failed: something new"},
  };
  for (const auto& row : rows) {
    RunSight sight;
    sight.error = row.error;
    const ports::Observation seen = SparkKind(SparkKeys::kOwn).failure(sight, pod_of(row.pod));
    EXPECT_EQ(seen.phase, row.phase) << row.error;
    EXPECT_EQ(seen.reason, row.reason) << row.error;
    EXPECT_THAT(seen.error, HasSubstr(row.says));
  }
}

TEST(SparkKind, OfSparkSubmitsWordsTheCauseIsKept) {
  EXPECT_EQ(submission_failure("driver pod not found"), "");
  const std::string trace(100'000, 'x');
  const std::string failure =
      "failed to submit spark application: failed to run spark-submit: WARN a\n"
      "Exception in thread \"main\" java.io.IOException: no such jar\n\tat a.b(c.java:1)\n\tat " +
      trace + "\nCaused by: java.net.UnknownHostException: nowhere\n";
  EXPECT_EQ(submission_failure(failure),
            "spark-submit failed: Exception in thread \"main\" java.io.IOException: no such jar\n"
            "Caused by: java.net.UnknownHostException: nowhere");
  EXPECT_LT(submission_failure("failed to run spark-submit: " + trace).size(), 5000U);
}

TEST(Templates, MistakesHaveTheirPlace) {
  EXPECT_THAT(message(parse_template("a: 1\nb: [", "t.yaml").status()), HasSubstr("t.yaml:2:"));
  EXPECT_THAT(message(parse_template("- a", "t.yaml").status()), HasSubstr("not one manifest"));
  EXPECT_THAT(message(read_template("/nowhere/t.yaml").status()), HasSubstr("/nowhere/t.yaml"));
  const auto read = parse_template("spec: {a: \"1\", b: 1, c: [true, null]}", "t.yaml");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(json::serialize(*read), R"({"spec":{"a":"1","b":1,"c":[true,null]}})");
}

}  // namespace
}  // namespace waybill::plugins
