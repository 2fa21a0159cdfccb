#include <gmock/gmock.h>

#include "waybill/api/rest/api_fixture_test.h"
#include "waybill/base/md5.h"

namespace waybill::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Time at(std::int64_t seconds) { return absl::FromUnixSeconds(seconds); }

class CollectingSink : public StreamSink {
 public:
  std::string text;
  bool failed = false;
  Task<bool> write(std::string bytes) override {
    text += bytes;
    co_return true;
  }
  Task<bool> wait(absl::Duration) override { co_return true; }
  void wake() override {}
  [[nodiscard]] bool open() const override { return true; }
  void fail() override { failed = true; }
};

class RecordsTest : public ApiFixture {
 protected:
  domain::Record& add(const std::string& id, std::int64_t start) { return records_.add(id, start); }
  std::vector<std::string> ids(const std::string& query) {
    const Answer answer = ask("GET /records" + query);
    EXPECT_EQ(answer.status, 200u) << answer.text;
    std::vector<std::string> found;
    if (answer.status != 200) return found;
    for (const auto& row : answer.json.at("data").as_array()) found.emplace_back(row.at("id").as_string());
    return found;
  }
  std::string csv(const std::string& query, std::shared_ptr<CollectingSink> sink = nullptr) {
    if (!sink) sink = std::make_shared<CollectingSink>();
    Request asked = request("GET /records" + query);
    asked.headers.add("Accept", "text/csv");
    const Answer answer = ask(std::move(asked));
    EXPECT_EQ(answer.status, 200u) << answer.text;
    EXPECT_TRUE(answer.reply.content_type.starts_with("text/csv"));
    io_.run(answer.reply.stream(sink));
    return sink->text;
  }
};

TEST_F(RecordsTest, ARunIsShownWithAllThatIsKnown) {
  domain::Record& record = add("r1", 1'000'000);
  record.run.uid = "u-1";
  record.run.cluster = "eks";
  record.run.name_space = "spark";
  record.run.status = domain::RecordStatus::kError;
  record.run.reason = domain::RecordReason::kFailed;
  record.run.error = "no memory";
  record.run.attempts = 2;
  record.run.application_id = "spark-7";
  record.run.window = {at(0), at(86400)};
  record.gateway_job = JobId("j1");
  record.manifest = "ab12";
  record.attributes["Logs"] = {domain::AttributeKind::kLink, domain::AttributeShow::kAlways, "https://l/1",
                               0};
  record.attribute_errors["Cost"] = "no such key";
  const Answer answer = ask("GET /record/r1");
  ASSERT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.json, boost::json::parse(R"({
    "id": "r1", "job_id": "job-r1", "project": "sample", "table": "driver", "type": "BATCH_INGESTION_JOB",
    "status": "ERROR", "reason": "Failed", "error": "no memory", "job_start_time": "1970-01-12T13:46:40.000Z",
    "job_end_time": "1970-01-12T13:48:10.000Z", "duration_ms": 90000,
    "start_time_param": "1970-01-01T00:00:00.000Z", "end_time_param": "1970-01-02T00:00:00.000Z", "attempts": 2,
    "cluster": "eks", "namespace": "spark", "uid": "u-1", "run_number": 1, "spark_application_id": "spark-7",
    "gateway_job_id": "j1", "manifest_sha256": "ab12",
    "attributes": {"Logs": {"kind": "link", "value": "https://l/1"}}, "attribute_errors": {"Cost": "no such key"}})"));
}

TEST_F(RecordsTest, AnOpenRunHasNoEnd) {
  add("r1", 1000).run.end.reset();
  const Answer answer = ask("GET /record/r1");
  EXPECT_FALSE(answer.json.as_object().contains("job_end_time"));
  EXPECT_FALSE(answer.json.as_object().contains("duration_ms"));
}

TEST_F(RecordsTest, UnknownRunsAreNotFound) {
  for (const char* path : {"GET /record/none", "GET /record/none/manifest"}) {
    const Answer answer = ask(path);
    EXPECT_EQ(answer.status, 404u);
    EXPECT_EQ(answer.json.at("error"), "unknown record id");
  }
}

TEST_F(RecordsTest, EachFilterReachesTheStore) {
  add("r1", 1000);
  ASSERT_EQ(
      ask("GET /records?project=p&table=t&cluster=c&namespace=n&job_id=j&spark_application_id=s"
          "&status=DONE,ERROR&type=RETRIEVAL_JOB&reason=Lost,Failed&from=10&to=20&window_from=30&window_to=40"
          "&limit=7&direction=asc&cursor=0")
          .status,
      200u);
  const ports::RecordFilter& filter = records_.filters.back();
  EXPECT_EQ(filter.project, "p");
  EXPECT_EQ(filter.table, "t");
  EXPECT_EQ(filter.hash, md5_hex("p:t"));
  EXPECT_EQ(filter.cluster, "c");
  EXPECT_EQ(filter.name_space, "n");
  EXPECT_EQ(filter.job_id, "j");
  EXPECT_EQ(filter.spark_application_id, "s");
  EXPECT_THAT(filter.statuses, ElementsAre(domain::RecordStatus::kDone, domain::RecordStatus::kError));
  EXPECT_THAT(filter.types, ElementsAre(domain::RecordType::kRetrieval));
  EXPECT_THAT(filter.reasons, ElementsAre(domain::RecordReason::kLost, domain::RecordReason::kFailed));
  EXPECT_EQ(filter.from, at(10));
  EXPECT_EQ(filter.to, at(20));
  EXPECT_EQ(filter.window_from, at(30));
  EXPECT_EQ(filter.window_to, at(40));
  EXPECT_EQ(records_.pages.back().limit, 7u);
  EXPECT_FALSE(records_.pages.back().descending);
}

TEST_F(RecordsTest, EmptyParametersAreNoFilters) {
  ASSERT_EQ(ask("GET /records?project=&table=&status=&from=&limit=&direction=").status, 200u);
  EXPECT_FALSE(records_.filters.back().project || records_.filters.back().table ||
               records_.filters.back().hash);
  EXPECT_EQ(records_.pages.back().limit, 101u);
  EXPECT_TRUE(records_.pages.back().descending);
}

TEST_F(RecordsTest, WhatIsWrongIsNamedWithItsValue) {
  for (const auto& [query, said] :
       std::map<std::string, std::string>{{"status=GREEN", "status: \"GREEN\""},
                                          {"reason=lost", "reason: \"lost\""},
                                          {"type=BATCH", "type: \"BATCH\""},
                                          {"order_by=id", "order_by: \"id\""},
                                          {"direction=up", "direction: \"up\""},
                                          {"from=soon", "from: "},
                                          {"from=20&to=10", "from: "},
                                          {"window_from=20&window_to=10", "window_from: "},
                                          {"cursor=nonsense", "cursor"}}) {
    const Answer answer = ask("GET /records?" + query);
    EXPECT_EQ(answer.status, 400u) << query;
    EXPECT_THAT(answer.text,
                HasSubstr(boost::json::serialize(boost::json::string(said)).substr(1, said.size() - 1)))
        << query;
  }
}

TEST_F(RecordsTest, PagesFollowEachOther) {
  for (int i = 0; i < 3; ++i) add("r" + std::to_string(i), 1000 - i);
  const Answer first = ask("GET /records?limit=2");
  EXPECT_EQ(first.json.at("has_more"), true);
  EXPECT_THAT(ids("?limit=2"), ElementsAre("r0", "r1"));
  EXPECT_THAT(ids("?limit=2&cursor=" + std::string(first.json.at("next_cursor").as_string())),
              ElementsAre("r2"));
  EXPECT_FALSE(ask("GET /records").json.as_object().contains("has_more"));
  ASSERT_EQ(ask("GET /records?limit=5000").status, 200u);
  EXPECT_EQ(records_.pages.back().limit, 1000u);
}

TEST_F(RecordsTest, CsvHoldsEveryRow) {
  for (int i = 0; i < 1201; ++i) add(std::to_string(i), 100000 - i);
  const std::string text = csv("");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1202);
  EXPECT_TRUE(text.starts_with("id,job_id,project,table,type,status,reason,job_start_time,"));
  const std::string few = csv("?limit=3");
  EXPECT_EQ(std::count(few.begin(), few.end(), '\n'), 4);
}

TEST_F(RecordsTest, CsvQuotesTextsAndDisarmsFormulas) {
  domain::Record& record = add("=1+2", 0);
  record.run.name = "a,\"b\"\nc";
  record.run.project = "-x";
  record.run.table = "@t";
  record.run.error = "plain";
  const std::string text = csv("");
  const std::string row = text.substr(text.find("\r\n") + 2);
  EXPECT_EQ(row,
            "\"'=1+2\",\"a,\"\"b\"\"\nc\",\"'-x\",\"'@t\",BATCH_INGESTION_JOB,DONE,Succeeded,1970-01-01T00:"
            "00:00.000Z,"
            "1970-01-01T00:01:30.000Z,90000,,,0,plain,,,,,1,\r\n");
}

TEST_F(RecordsTest, TheManifestIsYamlOrJson) {
  add("r1", 0).manifest = "h";
  add("r2", 1).manifest = "gone";
  records_.kept["h"] = {{"kind", "SparkApplication"}, {"spec", {{"cores", 2}}}};
  const Answer yaml = ask("GET /record/r1/manifest");
  EXPECT_EQ(yaml.reply.content_type, "application/yaml");
  EXPECT_EQ(yaml.text, "kind: SparkApplication\nspec:\n  cores: 2\n");
  EXPECT_EQ(ask("GET /record/r1/manifest?format=json").json, records_.kept["h"]);
  Request accepting = request("GET /record/r1/manifest");
  accepting.headers.add("Accept", "application/json");
  EXPECT_EQ(ask(std::move(accepting)).json, records_.kept["h"]);
  EXPECT_EQ(ask("GET /record/r1/manifest?format=toml").status, 400u);
  const Answer gone = ask("GET /record/r2/manifest");
  EXPECT_EQ(gone.status, 404u);
  EXPECT_EQ(gone.json.at("code"), "no_manifest");
}

TEST_F(RecordsTest, ScopedReadersSeeTheRunsOfTheirOwnJobs) {
  options_.auth.read_scoped = true;
  add_job("j1", "alice");
  add("r1", 0).gateway_job = JobId("j1");
  add("r2", 1);
  EXPECT_EQ(ask("GET /records").status, 403u);
  EXPECT_EQ(ask("GET /stats/records").status, 403u);
  EXPECT_EQ(ask("GET /records", "", "").status, 401u);
  EXPECT_EQ(ask("GET /records", "", "admin").status, 200u);
  EXPECT_EQ(ask("GET /record/r1").status, 200u);
  EXPECT_EQ(ask("GET /record/r1", "", "bob").status, 404u);
  EXPECT_EQ(ask("GET /record/r2").status, 404u);
  EXPECT_EQ(ask("GET /record/r2", "", "admin").status, 200u);
}

TEST_F(RecordsTest, RatesLeaveOutWhatHasNoKnownOutcome) {
  ports::RecordStatsBucket bucket;
  bucket.start = at(0);
  bucket.counts = {{domain::RecordStatus::kRunning, 5},
                   {domain::RecordStatus::kDone, 3},
                   {domain::RecordStatus::kError, 1}};
  bucket.unknown = 2;
  bucket.p50 = absl::Seconds(2);
  records_.buckets = {bucket, bucket};
  const Answer answer = ask("GET /stats/records?from=0&to=7200&project=p&table=t&type=BATCH_INGESTION_JOB");
  ASSERT_EQ(answer.status, 200u) << answer.text;
  EXPECT_EQ(answer.json, boost::json::parse(R"({
    "from": "1970-01-01T00:00:00.000Z", "to": "1970-01-01T02:00:00.000Z", "bucket_seconds": 3600,
    "data": [
      {"start": "1970-01-01T00:00:00.000Z", "counts": {"RUNNING": 5, "DONE": 3, "ERROR": 1}, "unknown": 2,
       "success_rate": 0.75, "p50_ms": 2000},
      {"start": "1970-01-01T00:00:00.000Z", "counts": {"RUNNING": 5, "DONE": 3, "ERROR": 1}, "unknown": 2,
       "success_rate": 0.75, "p50_ms": 2000}],
    "counts": {"RUNNING": 10, "DONE": 6, "ERROR": 2}, "unknown": 4, "success_rate": 0.75})"));
  EXPECT_EQ(records_.stats.back().project, "p");
  EXPECT_EQ(records_.stats.back().table, "t");
  EXPECT_THAT(records_.stats.back().types, ElementsAre(domain::RecordType::kBatchIngestion));
  EXPECT_EQ(records_.stats.back().bucket, absl::Hours(1));
}

TEST_F(RecordsTest, ADatabaseThatIsAwayIs503) {
  records_.broken = unavailable("the database is away");
  for (const char* path : {"GET /records", "GET /record/x", "GET /stats/records"}) {
    EXPECT_EQ(ask(path).status, 503u) << path;
  }
}

}  // namespace
}  // namespace waybill::rest
